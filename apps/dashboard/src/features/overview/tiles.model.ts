import type { HistoryPoint, QueueSnapshot, TaskState } from '@galley/contract';
import { type Formats, formatCount, formatFigure, formatPercent } from '../../i18n/index.ts';
import { deadLettersPath, systemPath, tasksPath } from '../../routing/paths.ts';
import type { OverviewMessages } from './messages.ts';

export interface TileModel {
  readonly id: string;
  readonly label: string;
  readonly to: string;
  readonly state?: TaskState;
  /** Null where it is not known. */
  readonly value: string | null;
  readonly unit?: string;
  /** All digits, where `value` is cut short. */
  readonly full?: string | undefined;
  readonly line?: string | undefined;
  readonly zero: boolean;
  readonly alarm: boolean;
  readonly trend: readonly (number | null)[];
  readonly trendColour?: string;
}

export interface TileFacts {
  readonly snapshot: QueueSnapshot;
  readonly history: readonly HistoryPoint[];
  /** Dead letters of the last hour; null where it is not known. */
  readonly deadLastHour: number | null;
  /** The server's time, ms; null before the first snapshot. */
  readonly now: number | null;
  readonly words: OverviewMessages['tile'];
  readonly stateWords: Readonly<Record<TaskState, string>>;
  readonly formats: Formats;
}

const LEAST_TO_FORETELL = 10;

/** "clears in about 45 min": what stands in line now over what is done a minute. Null where that would say nothing. */
export function clearsInMs(snapshot: QueueSnapshot): number | null {
  const { pending } = snapshot.counts;
  const done = snapshot.rates.completed_per_minute;
  if (snapshot.paused || pending < LEAST_TO_FORETELL || done <= 0) return null;
  return (pending / done) * 60_000;
}

/** A forecast is no measurement: minutes from a minute on, hours and minutes from an hour on. */
function coarse(milliseconds: number, formats: Formats): string {
  return milliseconds < 60_000 ? formats.whole(Math.max(1_000, milliseconds)) : formats.whole(Math.round(milliseconds / 60_000) * 60_000);
}

function lineOf(state: TaskState, { snapshot, now, words, formats, deadLastHour }: TileFacts): string | undefined {
  switch (state) {
    case 'pending': {
      const clears = clearsInMs(snapshot);
      return clears === null ? undefined : words.clears(coarse(clears, formats));
    }
    case 'processing':
      return snapshot.lock_keys ? words.locks(formatCount(snapshot.shards.reduce((sum, shard) => sum + shard.locks, 0))) : undefined;
    case 'retrying': {
      if (snapshot.next_retry_at === undefined || now === null) return words.theirTime;
      return words.nextIn(formats.whole(Math.max(1_000, Date.parse(snapshot.next_retry_at) - now)));
    }
    case 'scheduled':
      if (snapshot.next_scheduled_at === undefined || now === null) return words.theirTime;
      return words.nextAt(formats.moment(Date.parse(snapshot.next_scheduled_at), now));
    case 'waiting':
      return words.pagesToCome(formatCount(snapshot.pages.pending));
    case 'dead_letter':
      return deadLastHour === null || deadLastHour === 0 ? undefined : words.lastHour(formatCount(deadLastHour));
    default:
      return undefined;
  }
}

function stateTile(state: TaskState, facts: TileFacts): TileModel {
  const count = facts.snapshot.counts[state];
  const value = formatFigure(count);
  const full = formatCount(count);
  const dead = state === 'dead_letter';
  return {
    id: state,
    state,
    label: dead ? facts.words.dead : facts.stateWords[state],
    to: dead ? deadLettersPath() : tasksPath({ status: state }),
    value,
    full: value === full ? undefined : full,
    line: count === 0 ? undefined : lineOf(state, facts),
    zero: count === 0,
    alarm: dead && count > 0,
    trend: [...facts.history.map((point) => point.counts[state]), count],
  };
}

interface RateTile {
  readonly id: string;
  readonly label: string;
  readonly to: string;
  readonly value: number;
  readonly line: string | undefined;
  readonly history: readonly number[];
  readonly colour?: string;
}

function rateTile(rate: RateTile): TileModel {
  const value = formatFigure(rate.value);
  return {
    id: rate.id,
    label: rate.label,
    to: rate.to,
    value,
    line: rate.line,
    zero: rate.value === 0,
    alarm: false,
    trend: [...rate.history, rate.value],
    trendColour: rate.colour ?? 'var(--ink-2)',
  };
}

function quantileTile(id: 'wait' | 'run', facts: TileFacts): TileModel {
  const key = id === 'wait' ? 'wait_ms' : 'run_ms';
  const { p50, p95 } = facts.snapshot[key];
  const measure = p50 === null ? null : facts.formats.measure(p50);
  return {
    id,
    label: facts.words[id],
    to: tasksPath({ status: id === 'wait' ? 'pending' : 'processing' }),
    value: measure?.figure ?? null,
    unit: measure?.unit ?? '',
    line: p95 === null ? undefined : facts.words.p95(facts.formats.duration(p95)),
    zero: false,
    alarm: false,
    trend: [...facts.history.map((point) => point[key].p50), p50],
  };
}

function slotsTile({ snapshot, history, words }: TileFacts): TileModel {
  const { busy, slots, count } = snapshot.workers;
  return {
    id: 'slots',
    label: words.slots,
    to: systemPath('workers'),
    value: formatFigure(busy),
    unit: words.ofSlots(formatCount(slots)),
    line: words.workers(formatCount(count)),
    zero: slots === 0,
    alarm: false,
    trend: [...history.map((point) => point.busy), busy],
  };
}

/** The states a tile shows, pending first. */
export const TILE_STATES = ['pending', 'processing', 'retrying', 'scheduled', 'waiting', 'dead_letter'] as const satisfies TaskState[];

export function stateTiles(facts: TileFacts): readonly TileModel[] {
  return TILE_STATES.map((state) => stateTile(state, facts));
}

/** All twelve, in the order of the page. */
export function tilesOf(facts: TileFacts): readonly TileModel[] {
  const { snapshot, history, words } = facts;
  const { completed_per_minute: done, failed_per_minute: failed, submitted_per_minute: submitted } = snapshot.rates;
  const pagesEach = done > 0 && snapshot.pages.per_minute > 0 ? words.pagesEach(formatCount(snapshot.pages.per_minute / done)) : undefined;
  return [
    ...stateTiles(facts),
    rateTile({
      id: 'done',
      label: words.done,
      to: tasksPath({ status: 'completed' }),
      value: done,
      line: words.submitted(formatCount(submitted)),
      history: history.map((point) => point.completed),
    }),
    rateTile({
      id: 'failed',
      label: words.failed,
      to: tasksPath({ status: ['retrying', 'dead_letter'] }),
      value: failed,
      line: failed > 0 ? words.ofRuns(formatPercent(failed / (failed + done))) : undefined,
      history: history.map((point) => point.failed),
      colour: 'var(--dead)',
    }),
    quantileTile('wait', facts),
    quantileTile('run', facts),
    slotsTile(facts),
    rateTile({
      id: 'pages',
      label: words.pages,
      to: tasksPath({ status: 'completed' }),
      value: snapshot.pages.per_minute,
      line: pagesEach,
      history: history.map((point) => point.pages),
    }),
  ];
}
