import { type AlertThresholds, DEFAULT_ALERT_THRESHOLDS } from '@galley/contract';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { setAlertThresholds } from '../../api/index.ts';
import { useMessages } from '../../i18n/index.ts';
import { useShowFailure } from '../../parts/failure.ts';
import { useAdminBlocked } from '../../store/index.ts';
import { Button, cx, SectionHead, showToast } from '../../ui/index.ts';
import { system } from './messages.ts';
import { THRESHOLD_FIELDS, type ThresholdField, type ThresholdTexts, textsOf, thresholdsOf, valueOf } from './thresholds.model.ts';

function Field({
  field,
  text,
  locked,
  onChange,
}: {
  field: ThresholdField;
  text: string;
  locked: boolean;
  onChange: (text: string) => void;
}): ReactNode {
  const messages = useMessages(system);
  const id = useId();
  const words = messages.thresholds[field.name];
  const wrong = valueOf(field, text) === null;
  return (
    <div className="threshold">
      <label htmlFor={id}>{words.label}</label>
      <span className="threshold-value">
        <input
          id={id}
          className="input threshold-input"
          inputMode="decimal"
          autoComplete="off"
          value={text}
          readOnly={locked}
          aria-invalid={wrong || undefined}
          aria-describedby={`${id}-unit ${id}-why`}
          onChange={(event) => onChange(event.target.value)}
        />
        <span id={`${id}-unit`}>{words.unit}</span>
      </span>
      <span id={`${id}-why`} className={cx('system-why type-meta', wrong && 'threshold-wrong')}>
        {wrong ? messages.thresholdBounds(String(field.least), String(field.most)) : words.why}
      </span>
    </div>
  );
}

/** The form, begun anew whenever other values are stored. */
function Form({ stored, onSaved }: { stored: AlertThresholds; onSaved: () => void }): ReactNode {
  const messages = useMessages(system);
  const blocked = useAdminBlocked();
  const showFailure = useShowFailure();
  const [texts, setTexts] = useState<ThresholdTexts>(() => textsOf(stored));
  const [busy, setBusy] = useState(false);
  const wanted = thresholdsOf(texts);
  const changed = wanted !== null && THRESHOLD_FIELDS.some(({ name }) => wanted[name] !== stored[name]);
  const usual = THRESHOLD_FIELDS.every(({ name }) => wanted?.[name] === DEFAULT_ALERT_THRESHOLDS[name]);
  const save = async (thresholds: AlertThresholds): Promise<void> => {
    setBusy(true);
    try {
      await setAlertThresholds(thresholds);
      showToast({ kind: 'done', sentence: messages.thresholdsSaved });
      onSaved();
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (wanted !== null && changed && !busy && blocked === undefined) void save(wanted);
  };
  return (
    <form className="thresholds type-control" onSubmit={submit}>
      {THRESHOLD_FIELDS.map((field) => (
        <Field
          key={field.name}
          field={field}
          text={texts[field.name]}
          locked={blocked !== undefined}
          onChange={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
      <div className="threshold-actions">
        <Button type="submit" busy={busy} blocked={blocked} inactive={!changed}>
          {messages.save}
        </Button>
        <Button kind="quiet" inactive={usual} blocked={blocked} onClick={() => setTexts(textsOf(DEFAULT_ALERT_THRESHOLDS))}>
          {messages.defaults}
        </Button>
      </div>
    </form>
  );
}

/** When the overview warns; an admin may change it, for every server and everyone. */
export function AlertSettings({ stored, onSaved }: { stored: AlertThresholds | undefined; onSaved: () => void }): ReactNode {
  const messages = useMessages(system);
  return (
    <section id="alerts">
      <SectionHead title={messages.alerts} meta={messages.alertsMeta} />
      {stored !== undefined && <Form key={JSON.stringify(stored)} stored={stored} onSaved={onSaved} />}
    </section>
  );
}
