import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { LockAbilities, LockStore } from '../../locks/lock-store.ts';
import { Locks, type LocksOptions } from '../../locks/locks.ts';
import { until } from '../scheduler.ts';

export const EVERY_ABILITY = {
  risingFence: true,
  fair: true,
  sharedView: true,
  list: true,
  holderAcrossProcesses: true,
} satisfies LockAbilities;

/** How long waiters of a patient store keep their place without a word. */
export const PATIENT_MS = 180_000;

/** A store under test, as several processes would open it. */
export interface StoreBench {
  /** A store on a connection of its own. `patient`: its waiters look again so seldom that a wake-up that is lost is not made good. */
  open(patient?: boolean): Promise<OpenStore>;
  /** Ends the servers behind it in order and starts them again over what they keep; waits until they answer. */
  restart(): Promise<void>;
  /** Takes a held lock away and gives it to nobody, behind its holder's back. */
  steal(name: string): Promise<void>;
  /** How long after the death of a holder or waiter, beyond the TTL, the next one may start. */
  readonly noticeMs: number;
  stop(): Promise<void>;
}

export interface OpenStore {
  readonly store: LockStore;
  /** Cuts its connections without a word, as a dying process does. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export interface Parties {
  readonly bench: StoreBench;
  /** A name of this test alone. */
  name(): string;
  /** Locks of one more process. */
  party(options?: Omit<LocksOptions, 'store'>): Promise<Locks>;
  /** As `party`, with a patient store. */
  patient(): Promise<Locks>;
  /** As `party`, and how to let it die. */
  mortal(): Promise<{ locks: Locks; kill(): Promise<void> }>;
}

/** One bench for a file; after each test every lock that it named must be free, with nobody in line. */
export function lockParties(start: () => Promise<StoreBench>): Parties {
  let bench: StoreBench | null = null;
  let open: OpenStore[] = [];
  let names: string[] = [];
  const running = (): StoreBench => {
    if (bench === null) throw new Error('the store of this file has not been started yet');
    return bench;
  };
  const openStore = async (patient = false): Promise<OpenStore> => {
    const opened = await running().open(patient);
    open.push(opened);
    return opened;
  };
  beforeAll(async () => {
    bench = await start();
  }, 60_000);
  afterEach(async () => {
    const checked = names;
    names = [];
    const { store } = await openStore();
    // Releases of those that were discarded may still be under way.
    for (const name of checked) {
      await until(
        `${name} is free and has no line`,
        async () => {
          const view = await store.inspect(name);
          return !view.held && view.waiting === 0;
        },
        5_000,
      );
    }
    const closing = open;
    open = [];
    await Promise.all(closing.map((opened) => opened.close()));
    expect(open).toEqual([]);
  });
  afterAll(() => bench?.stop(), 60_000);
  return {
    get bench() {
      return running();
    },
    name: () => {
      const name = `t-${randomBytes(4).toString('hex')}:table`;
      names.push(name);
      return name;
    },
    party: async (options = {}) => new Locks({ ...options, store: (await openStore()).store }),
    patient: async () => new Locks({ store: (await openStore(true)).store }),
    mortal: async () => {
      const opened = await openStore();
      return { locks: new Locks({ store: opened.store }), kill: () => opened.kill() };
    },
  };
}
