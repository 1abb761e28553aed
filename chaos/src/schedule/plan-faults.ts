import type { SeededRandom } from './random.ts';

/** What is done to the system from outside; `at` in milliseconds from the start of the run, `forMs` how long it lasts. */
export type Fault =
  | { readonly kind: 'worker-kill' | 'worker-stop'; readonly at: number; readonly target: string }
  | { readonly kind: 'worker-freeze' | 'connection-stall'; readonly at: number; readonly target: string; readonly forMs: number }
  | { readonly kind: 'clock-step'; readonly at: number; readonly target: string; readonly byMs: number }
  | { readonly kind: 'producer-kill' | 'connection-cut' | 'cut-in-reply'; readonly at: number; readonly target: string }
  | { readonly kind: 'redis-kill' | 'redis-freeze'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'script-flush'; readonly at: number };

export type FaultKind = Fault['kind'];

/** One deal of the deck holds each kind this often, so that even a short run meets all of them. */
const DECK: Readonly<Record<FaultKind, number>> = {
  'worker-kill': 2,
  'worker-freeze': 2,
  'worker-stop': 1,
  'producer-kill': 1,
  'connection-cut': 2,
  'cut-in-reply': 2,
  'connection-stall': 1,
  'redis-kill': 1,
  'redis-freeze': 1,
  'script-flush': 1,
  'clock-step': 1,
};

export const FAULT_KINDS: readonly FaultKind[] = Object.keys(DECK).filter(isFaultKind);

const FIRST_AT_MS = 1_000;
/** After Redis is back, before it is hurt again: what follows an outage is a promise of its own. */
const REDIS_REST_MS = 3_000;

export interface FaultPlanOptions {
  readonly durationMs: number;
  readonly workers: number;
  readonly producers: number;
  readonly leaseMs: number;
  /** Milliseconds between two faults, on average. */
  readonly faultGapMs: number;
  /** The kinds that are dealt; all where none is named. */
  readonly faultKinds: readonly FaultKind[];
}

/** Deals shuffled decks of faults until the time is over. */
export function planFaults(random: SeededRandom, options: FaultPlanOptions): Fault[] {
  const faults: Fault[] = [];
  const dealt = options.faultKinds.length === 0 ? FAULT_KINDS : options.faultKinds;
  const deck = dealt.flatMap((kind) => Array.from({ length: DECK[kind] }, () => kind));
  const gap = options.faultGapMs;
  let hand: FaultKind[] = [];
  let redisFreeAt = 0;
  for (let at = FIRST_AT_MS; at < options.durationMs; at += random.whole(gap / 2, (gap * 3) / 2)) {
    if (hand.length === 0) hand = random.shuffled(deck);
    // A fault of Redis waits until Redis has rested from the last; the others go before it.
    const index = hand.findIndex((kind) => !kind.startsWith('redis-') || at >= redisFreeAt);
    if (index < 0) continue;
    const [kind] = hand.splice(index, 1);
    if (kind === undefined) continue;
    const fault = draw(kind, at, random, options);
    if (fault.kind === 'redis-kill' || fault.kind === 'redis-freeze') redisFreeAt = at + fault.forMs + REDIS_REST_MS;
    faults.push(fault);
  }
  return faults;
}

export function isFaultKind(kind: string): kind is FaultKind {
  return Object.hasOwn(DECK, kind);
}

function draw(kind: FaultKind, at: number, random: SeededRandom, { workers, producers, leaseMs }: FaultPlanOptions): Fault {
  const worker = (): string => `worker-${random.whole(1, workers)}`;
  const producer = (): string => `producer-${random.whole(1, producers)}`;
  switch (kind) {
    case 'worker-kill':
    case 'worker-stop':
      return { kind, at, target: worker() };
    case 'worker-freeze':
      // Half of them past the lease, so that another takes the task over while the frozen one still believes in it.
      return {
        kind,
        at,
        target: worker(),
        forMs: random.chance(0.5) ? random.whole(200, leaseMs / 2) : random.whole(leaseMs * 1.2, leaseMs * 2),
      };
    case 'connection-stall':
      return { kind, at, target: worker(), forMs: random.whole(300, leaseMs * 1.5) };
    case 'clock-step':
      return { kind, at, target: worker(), byMs: random.pick([-86_400_000, -3_600_000, -1_500, 1_500, 3_600_000, 86_400_000]) };
    case 'producer-kill':
      return { kind, at, target: producer() };
    case 'connection-cut':
    case 'cut-in-reply':
      return { kind, at, target: random.chance(0.7) ? worker() : random.pick([producer(), 'server']) };
    case 'redis-kill':
      return { kind, at, forMs: random.whole(100, leaseMs * 1.5) };
    case 'redis-freeze':
      return { kind, at, forMs: random.whole(200, leaseMs * 1.5) };
    case 'script-flush':
      return { kind, at };
  }
}
