import { Command as Cmdk } from 'cmdk';
import { CornerDownLeft, Search } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useDeferredValue, useState } from 'react';
import { useMessages } from '../i18n/index.ts';
import { COMMAND_GROUPS, type Command } from '../registry/index.ts';
import { onQueue, useGo } from '../routing/index.ts';
import { DEFAULT_QUEUE, useIsAdmin, useStore } from '../store/index.ts';
import { Kbd } from '../ui/index.ts';
import { useFocusReturn } from '../ui/useFocusReturn.ts';
import { useScrollLock } from '../ui/useScrollLock.ts';
import './palette.css';
import { palette } from './paletteMessages.ts';
import { foundCommands, matchedParts } from './paletteModel.ts';
import { useDeadLetterCommands, useFeatureCommands, useFrameCommands, useTaskCommands } from './usePaletteCommands.tsx';

function Label({ label, query }: { label: string; query: string }): ReactNode {
  return (
    <span className="palette-label">
      {matchedParts(label, query).map((part) => (part.matched ? <b key="match">{part.text}</b> : part.text))}
    </span>
  );
}

function Line({ command, query, onRun }: { command: Command; query: string; onRun: (command: Command) => void }): ReactNode {
  const messages = useMessages(palette);
  const hints = [command.hint, command.asksFirst === true ? messages.asksFirst : undefined].filter(
    (hint) => hint !== undefined && hint !== '',
  );
  return (
    <Cmdk.Item className="palette-item" value={command.id} onSelect={() => onRun(command)}>
      <span className="palette-icon">{command.icon}</span>
      <Label label={command.label} query={query.replace(/^#/, '')} />
      <span className="palette-hint type-meta">{hints.join(', ')}</span>
      <CornerDownLeft className="palette-enter" size={14} strokeWidth={1.75} aria-hidden="true" />
    </Cmdk.Item>
  );
}

function Foot(): ReactNode {
  const messages = useMessages(palette);
  return (
    <div className="palette-foot type-meta" aria-hidden="true">
      <span>
        <Kbd>↑</Kbd> <Kbd>↓</Kbd> {messages.move}
      </span>
      <span>
        <Kbd>Enter</Kbd> {messages.run}
      </span>
      <span>
        <Kbd>Ctrl Enter</Kbd> {messages.newTab}
      </span>
      <span className="palette-foot-hash">
        {messages.hashBefore} <Kbd>#</Kbd> {messages.hashAfter}
      </span>
    </div>
  );
}

function useRunCommand(onClose: () => void): (command: Command, newTab: boolean) => void {
  const go = useGo();
  const queue = useStore((state) => state.queue);
  return (command, newTab) => {
    if (command.to !== undefined && newTab) {
      window.open(onQueue(command.to, queue, DEFAULT_QUEUE), '_blank', 'noopener');
      return;
    }
    onClose();
    if (command.to !== undefined) go(command.to);
    command.run?.();
  };
}

/** Search and commands in one field. */
export default function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const messages = useMessages(palette);
  const [query, setQuery] = useState('');
  useScrollLock();
  const giveBack = useFocusReturn();
  const [active, setActive] = useState('');
  const admin = useIsAdmin();
  const tasks = useTaskCommands(useDeferredValue(query));
  const offered = [...useDeadLetterCommands(), ...useFeatureCommands(), ...useFrameCommands()];
  const run = useRunCommand(onClose);
  const found = query.startsWith('#') ? tasks : [...foundCommands(offered, query, admin), ...tasks];
  const shown = query.trim() === '' ? found.filter((command) => command.group !== 'actions' || command.adminOnly === true) : found;
  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = shown.find((command) => command.id === active);
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || chosen === undefined) return;
    event.preventDefault();
    run(chosen, true);
  };
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <div className="scrim" />
        <Radix.Content className="palette" aria-describedby={undefined} onCloseAutoFocus={giveBack} onKeyDownCapture={onKeyDown}>
          <Radix.Title className="visually-hidden">{messages.title}</Radix.Title>
          <Cmdk label={messages.title} shouldFilter={false} loop value={active} onValueChange={setActive}>
            <div className="palette-field">
              <Search size={18} strokeWidth={1.75} aria-hidden="true" />
              <Cmdk.Input value={query} onValueChange={setQuery} placeholder={messages.placeholder} autoFocus />
              <Kbd>Esc</Kbd>
            </div>
            <Cmdk.List className="palette-list">
              {COMMAND_GROUPS.map((group) => {
                const commands = shown.filter((command) => command.group === group);
                return commands.length === 0 ? null : (
                  <Cmdk.Group key={group} heading={messages.groups[group]}>
                    {commands.map((command) => (
                      <Line key={command.id} command={command} query={query} onRun={(chosen) => run(chosen, false)} />
                    ))}
                  </Cmdk.Group>
                );
              })}
              {shown.length === 0 && <p className="palette-none type-control">{messages.none(query)}</p>}
            </Cmdk.List>
            <Foot />
          </Cmdk>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
