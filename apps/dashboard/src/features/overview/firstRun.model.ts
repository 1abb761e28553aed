import { ENGINES, type QueueSnapshot, type Readiness, type Worker } from '@galley/contract';
import { formatCount } from '../../i18n/index.ts';
import type { FirstRunMessages } from './firstRun.messages.ts';

export interface ReadyFact {
  readonly id: string;
  readonly good: boolean;
  readonly what: string;
  readonly why: string;
}

export interface ReadyFacts {
  readonly snapshot: QueueSnapshot;
  readonly workers: readonly Worker[] | undefined;
  /** Undefined until it is known, and then its facts are left out. */
  readonly readiness: Readiness | undefined;
  readonly authenticated: boolean;
  readonly words: FirstRunMessages;
}

function workerFact({ snapshot, workers, words }: ReadyFacts): ReadyFact {
  const { count, slots } = snapshot.workers;
  const first = workers?.[0];
  if (count === 0) return { id: 'workers', good: false, what: words.noWorkers, why: words.noWorkersWhy };
  const why =
    first === undefined
      ? ''
      : count === 1
        ? words.onHost(first.worker_id, first.host)
        : words.andOthers(first.worker_id, formatCount(count - 1));
  return { id: 'workers', good: true, what: words.workers(formatCount(count), formatCount(slots)), why };
}

/** What a newcomer wants to know before the first file: is all there that it takes. */
export function readyFactsOf(facts: ReadyFacts): readonly ReadyFact[] {
  const { readiness, words, authenticated } = facts;
  const redis: ReadyFact[] =
    readiness === undefined
      ? []
      : [
          readiness.redis === 'up'
            ? { id: 'redis', good: true, what: words.redisUp, why: words.redisUpWhy }
            : { id: 'redis', good: false, what: words.redisAway, why: words.redisAwayWhy },
        ];
  // The text layer of a PDF is no engine that anybody sets up.
  const engines = readiness === undefined ? [] : ENGINES.filter((engine) => engine !== 'text-layer');
  return [
    ...redis,
    workerFact(facts),
    ...engines.map((engine): ReadyFact => {
      const there = readiness?.engines.includes(engine) === true;
      return { id: engine, good: there, what: words.engine(engine), why: there ? words.engines[engine] : words.engineAbsent };
    }),
    authenticated
      ? { id: 'tokens', good: true, what: words.tokens, why: words.tokensWhy }
      : { id: 'tokens', good: false, what: words.noTokens, why: words.noTokensWhy },
  ];
}
