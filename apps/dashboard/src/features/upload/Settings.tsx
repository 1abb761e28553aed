import { PRIORITY_BANDS, PRIORITY_PRESETS, type PriorityBand, REQUEST_ENGINES, type RequestEngine } from '@galley/contract';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { common, formatCount, useMessages } from '../../i18n/index.ts';
import { Menu, MenuChoices, PriorityBars, PriorityChip, SectionHead } from '../../ui/index.ts';
import { upload } from './messages.ts';
import { uploader, useUploads } from './uploads.ts';

const AT_ONCE = ['1', '2', '3', '4', '5', '6'] as const;
const PRESETS: readonly PriorityBand[] = PRIORITY_BANDS;

function Setting({ label, value, children }: { label: string; value: ReactNode; children: ReactNode }): ReactNode {
  const trigger = (
    <button type="button" className="setting type-control">
      <span className="setting-label">{label}</span>
      <span className="setting-value">{value}</span>
      <ChevronDown size={14} strokeWidth={1.75} aria-hidden="true" />
    </button>
  );
  return (
    <Menu label={label} trigger={trigger} align="end">
      {children}
    </Menu>
  );
}

function useApplies(toGo: number, any: boolean): string {
  const messages = useMessages(upload);
  if (!any || toGo === 0) return messages.appliesNext;
  return toGo === 1 ? messages.appliesOne : messages.applies(formatCount(toGo));
}

/** What is asked for the files that have not been sent yet. */
export function Settings({ toGo, any }: { toGo: number; any: boolean }): ReactNode {
  const messages = useMessages(upload);
  const words = useMessages(common);
  const settings = useUploads((view) => view.settings);
  const applies = useApplies(toGo, any);
  const engine = REQUEST_ENGINES.find((one) => one === settings.engine) ?? 'auto';
  const engines = REQUEST_ENGINES.map((value: RequestEngine) => ({ value, label: messages.engines[value] }));
  const band = PRESETS.find((preset) => PRIORITY_PRESETS[preset] === settings.priority) ?? 'normal';
  return (
    <section className="settings">
      <SectionHead title={messages.settings} />
      <div className="settings-list">
        <Setting label={messages.priority} value={<PriorityChip priority={settings.priority} />}>
          <MenuChoices
            value={band}
            choices={PRESETS.map((preset) => ({
              value: preset,
              label: words.priority[preset],
              icon: <PriorityBars band={preset} />,
              hint: PRIORITY_PRESETS[preset],
            }))}
            onChoose={(preset) => uploader.set({ priority: PRIORITY_PRESETS[preset] })}
          />
        </Setting>
        <Setting label={messages.engine} value={messages.engines[engine]}>
          <MenuChoices value={engine} choices={engines} onChoose={(value) => uploader.set({ engine: value })} />
        </Setting>
        <Setting label={messages.duplicates} value={settings.dedupe ? messages.link : messages.again}>
          <MenuChoices
            value={settings.dedupe ? 'link' : 'again'}
            choices={[
              { value: 'link', label: messages.link },
              { value: 'again', label: messages.again },
            ]}
            onChoose={(value) => uploader.set({ dedupe: value === 'link' })}
          />
        </Setting>
        <Setting label={messages.atOnce} value={String(settings.atOnce)}>
          <MenuChoices
            value={String(settings.atOnce)}
            choices={AT_ONCE.map((value) => ({ value, label: value }))}
            onChoose={(value) => uploader.set({ atOnce: Number(value) })}
          />
        </Setting>
      </div>
      <p className="settings-applies type-meta">{applies}</p>
    </section>
  );
}
