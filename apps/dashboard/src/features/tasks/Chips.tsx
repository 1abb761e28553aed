import { PRIORITY_BANDS, PRIORITY_PRESETS, REQUEST_ENGINES, TASK_STATES, type Task } from '@galley/contract';
import { ArrowUp, ChevronDown, X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { common, formatCount, useMessages } from '../../i18n/index.ts';
import { useStore } from '../../store/index.ts';
import { Menu, MenuActions, MenuChecks, MenuChoices, PriorityBars, Rich, SearchField, StateMark } from '../../ui/index.ts';
import { AGE_NAMES, isFiltered, type TaskFilter } from './filter.model.ts';
import { tasks } from './messages.ts';

interface FilterProps {
  readonly filter: TaskFilter;
  readonly set: (change: Partial<TaskFilter>) => void;
}

function Chip({
  name,
  value,
  onClear,
  children,
}: {
  name: string;
  value: string | null;
  onClear: () => void;
  children: ReactNode;
}): ReactNode {
  const messages = useMessages(tasks);
  const trigger = (
    <button type="button" className="chip-button type-control">
      {value === null ? name : <Rich text={messages.chipOn(name, value)} />}
      {value === null && <ChevronDown size={14} strokeWidth={1.75} aria-hidden="true" />}
    </button>
  );
  return (
    <span className={value === null ? 'chip' : 'chip chip--on'}>
      <Menu label={name} trigger={trigger}>
        {children}
      </Menu>
      {value !== null && (
        <button type="button" className="chip-clear" aria-label={messages.clearChip(name)} onClick={onClear}>
          <X size={14} strokeWidth={1.75} aria-hidden="true" />
        </button>
      )}
    </span>
  );
}

function StateChip({ filter, set }: FilterProps): ReactNode {
  const messages = useMessages(tasks);
  const words = useMessages(common);
  const counts = useStore((state) => state.live.snapshot?.counts);
  const { states } = filter;
  const [only] = states;
  const value =
    states.length === 0
      ? null
      : states.length === 1 && only !== undefined
        ? words.state[only]
        : messages.states(String(states.length), '8');
  return (
    <Chip name={messages.chips.state} value={value} onClear={() => set({ states: [] })}>
      <MenuChecks
        values={new Set(states)}
        choices={TASK_STATES.map((state) => ({
          value: state,
          label: words.state[state],
          icon: <StateMark state={state} />,
          hint: counts === undefined ? undefined : formatCount(counts[state]),
        }))}
        onToggle={(state) => set({ states: states.includes(state) ? states.filter((one) => one !== state) : [...states, state] })}
      />
    </Chip>
  );
}

function PriorityFilter({ filter, set }: FilterProps): ReactNode {
  const messages = useMessages(tasks);
  const words = useMessages(common);
  const bands = useStore((state) => state.live.snapshot?.pending_by_band);
  const band = PRIORITY_BANDS.find((one) => PRIORITY_PRESETS[one] === filter.priority);
  const value = filter.priority === null ? null : band === undefined ? String(filter.priority) : words.priority[band];
  return (
    <Chip name={messages.chips.priority} value={value} onClear={() => set({ priority: null })}>
      <MenuChoices
        value={band ?? 'none'}
        choices={PRIORITY_BANDS.map((one) => ({
          value: one,
          label: words.priority[one],
          icon: <PriorityBars band={one} />,
          hint: bands === undefined ? PRIORITY_PRESETS[one] : formatCount(bands[one]),
        }))}
        onChoose={(chosen) => {
          const preset = PRIORITY_BANDS.find((one) => one === chosen);
          if (preset !== undefined) set({ priority: PRIORITY_PRESETS[preset] });
        }}
      />
    </Chip>
  );
}

function UserChip({ filter, set, rows }: FilterProps & { rows: readonly Task[] }): ReactNode {
  const messages = useMessages(tasks);
  const users = useMemo(() => {
    const counts = new Map<string, number>();
    if (filter.user !== null) counts.set(filter.user, 0);
    for (const { user_id: user } of rows) if (user !== undefined) counts.set(user, (counts.get(user) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => a.localeCompare(b));
  }, [rows, filter.user]);
  return (
    <Chip name={messages.chips.user} value={filter.user} onClear={() => set({ user: null })}>
      {users.length === 0 ? (
        <MenuActions items={[{ id: 'none', label: messages.noUsers, blocked: '', onSelect: () => undefined }]} />
      ) : (
        <MenuChoices
          value={filter.user ?? ''}
          choices={users.map(([user, count]) => ({ value: user, label: user, hint: formatCount(count) }))}
          onChoose={(user) => set({ user })}
        />
      )}
    </Chip>
  );
}

function EngineChip({ filter, set }: FilterProps): ReactNode {
  const messages = useMessages(tasks);
  return (
    <Chip
      name={messages.chips.engine}
      value={filter.engine === null ? null : messages.engines[filter.engine]}
      onClear={() => set({ engine: null })}
    >
      <MenuChoices
        value={filter.engine ?? 'none'}
        choices={[...REQUEST_ENGINES].map((engine) => ({ value: engine, label: messages.engines[engine] }))}
        onChoose={(engine) => set({ engine: REQUEST_ENGINES.find((one) => one === engine) ?? null })}
      />
    </Chip>
  );
}

function AgeChip({ filter, set }: FilterProps): ReactNode {
  const messages = useMessages(tasks);
  const bounds = [filter.since, filter.until].filter((bound) => bound !== null).map((bound) => bound.slice(0, 16).replace('T', ' '));
  const value = filter.age !== null ? messages.ages[filter.age] : bounds.length === 0 ? null : bounds.join(' – ');
  return (
    <Chip name={messages.chips.age} value={value} onClear={() => set({ age: null, since: null, until: null })}>
      <MenuChoices
        value={filter.age ?? 'none'}
        choices={AGE_NAMES.map((age) => ({ value: age, label: messages.ages[age] }))}
        onChoose={(age) => set({ age: AGE_NAMES.find((one) => one === age) ?? null, since: null, until: null })}
      />
    </Chip>
  );
}

/** Search and chips, and at the right end the tasks that have come since. */
export function FilterBar({
  filter,
  set,
  clear,
  rows,
  arrivals,
  onTake,
}: FilterProps & { clear: () => void; rows: readonly Task[]; arrivals: number; onTake: () => void }): ReactNode {
  const messages = useMessages(tasks);
  return (
    <div className="filter-bar">
      <SearchField filter keys="/" label={messages.search} value={filter.q} onChange={(q) => set({ q })} />
      <div className="chips">
        <StateChip filter={filter} set={set} />
        <PriorityFilter filter={filter} set={set} />
        <UserChip filter={filter} set={set} rows={rows} />
        <EngineChip filter={filter} set={set} />
        <AgeChip filter={filter} set={set} />
        {isFiltered(filter) && (
          <button type="button" className="link type-control filter-clear" onClick={clear}>
            {messages.clear}
          </button>
        )}
      </div>
      {arrivals > 0 && (
        <button type="button" className="arrivals type-control" onClick={onTake}>
          <ArrowUp size={14} strokeWidth={2} aria-hidden="true" />
          {arrivals === 1 ? messages.newTask : messages.newTasks(formatCount(arrivals))}
        </button>
      )}
    </div>
  );
}
