import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { common, formatUtc, useFormats, useMessages } from '../i18n/index.ts';
import { IconButton } from './Button.tsx';
import { shortId, shownName, splitName } from './middleCut.ts';
import './names.css';
import { Tooltip } from './Tooltip.tsx';

/** A file's name, cut in the middle where it does not fit, so that its end can always be told. The whole name in the tooltip. */
export function FileName({ name, lang }: { name: string; lang?: string }): ReactNode {
  const shown = shownName(name);
  const { head, tail } = splitName(shown);
  return (
    <Tooltip text={shown}>
      <span className="file-name" lang={lang}>
        {head !== '' && <span className="file-name-head">{head}</span>}
        <bdi className="file-name-tail">{tail}</bdi>
      </span>
    </Tooltip>
  );
}

/** An id in mono: short in lists (whole in the tooltip), whole in detail. */
export function Id({ id, whole = false }: { id: string; whole?: boolean }): ReactNode {
  const text = whole ? id : shortId(id);
  const code = <code className="id type-code">{text}</code>;
  return text === id ? code : <Tooltip text={id}>{code}</Tooltip>;
}

/** Copies a text and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label?: string }): ReactNode {
  const messages = useMessages(common);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 2_000);
    return () => window.clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <IconButton
      size="small"
      label={copied ? messages.copied : (label ?? messages.copy)}
      icon={copied ? <Check /> : <Copy />}
      onClick={() => void copy()}
    />
  );
}

/** How long ago, with the exact UTC time in the tooltip. `now`: the server's time, from `useServerNow()`; null shows a dash. */
export function RelativeTime({ at, now }: { at: string; now: number | null }): ReactNode {
  const formats = useFormats();
  const time = Date.parse(at);
  return (
    <Tooltip text={formatUtc(time)}>
      <time dateTime={at} className="relative-time">
        {now === null ? '–' : formats.relative(time, now)}
      </time>
    </Tooltip>
  );
}
