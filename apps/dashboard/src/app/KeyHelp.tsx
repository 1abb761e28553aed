import type { ReactNode } from 'react';
import { common, useMessages } from '../i18n/index.ts';
import { type KeyBinding, keyBindings, useRegistry } from '../registry/index.ts';
import { useStore } from '../store/index.ts';
import { Alert, Dialog, Kbd } from '../ui/index.ts';
import './keyhelp.css';
import { keys } from './keyMessages.ts';

const GROUPS = ['everywhere', 'lists', 'reader', 'upload'] as const satisfies KeyBinding['group'][];
const NAMES: Readonly<Record<string, string>> = {
  Shift: 'Shift',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};
const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

function keyName(part: string, stroke: string): string {
  if (part === 'Mod') return MAC ? '⌘' : 'Ctrl';
  return NAMES[part] ?? (stroke.includes('+') ? part.toUpperCase() : part);
}

function Strokes({ written }: { written: string }): ReactNode {
  const messages = useMessages(keys);
  return written.split(' ').map((stroke, index) => (
    <span key={stroke} className="key-help-stroke">
      {index > 0 && <span>{messages.followedBy}</span>}
      {stroke.split('+').map((part) => (
        <Kbd key={part}>{keyName(part, stroke)}</Kbd>
      ))}
    </span>
  ));
}

/** Every key that works on this page now. */
export default function KeyHelp({ onClose }: { onClose: () => void }): ReactNode {
  const messages = useMessages(keys);
  const { close } = useMessages(common);
  const singleKeys = useStore((state) => state.preferences.singleKeys);
  const bindings = useRegistry(keyBindings).flatMap((list) => list());
  const all: KeyBinding[] = [...bindings, { keys: 'Escape', label: messages.close, group: 'everywhere', run: onClose }];
  return (
    <Dialog open onClose={onClose} title={messages.title} closeLabel={close} width={560}>
      {!singleKeys && <Alert kind="info" what={messages.off} />}
      {GROUPS.map((group) => {
        const rows = all.filter((binding) => binding.group === group);
        if (rows.length === 0) return null;
        return (
          <section key={group} className="key-help">
            <h3 className="type-meta">{messages.groups[group]}</h3>
            <dl>
              {rows.map((binding) => (
                <div key={binding.keys}>
                  <dt className="type-control">{binding.label}</dt>
                  <dd>
                    <Strokes written={binding.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        );
      })}
    </Dialog>
  );
}
