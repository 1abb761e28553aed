import { describe, expect, it } from 'vitest';
import { type Findings, judge } from './judge.ts';
import type { LoggedRun } from './run-log.ts';
import { planTrial } from './trial.ts';

const sight: Findings['sight'] = {
  shards: ['00', '01'].map((shard) => ({ shard, mostRunning: 2, mostLocks: 2, leastTtlMs: 20_000, mostTtlMs: 29_000 })),
  looks: 10,
  busyLooks: 10,
  backlogLooks: 10,
  running: 38,
  locks: 38,
  mostRunning: 4,
  ttls: 50,
  contradictions: new Set(),
  badTtls: new Set(),
};
const trial = { workers: 2, slots: 2, tasks: 160, aloneMs: 2_000, togetherMs: 1_050, speedUp: 1.9, wrong: 0 };
const sound: Findings = {
  queue: 'q',
  seconds: 10,
  lockKeys: true,
  leaseMs: 30_000,
  workers: 2,
  slots: 4,
  sight,
  interleaving: {
    sightings: new Map([
      ['00', 20],
      ['01', 20],
    ]),
    switches: 15,
  },
  log: { runs: 40, tasks: 40, overlaps: [], concurrency: { most: 4, mean: 3.8 } },
  trial,
};
const run: LoggedRun = { task: 't', fence: 1, worker: 'w1', shard: '00', start: 0, end: 10, lost: false };

describe('the verdict', () => {
  it('is parallel where every check holds', () => {
    expect(judge(sound)).toMatchObject({ verdict: 'parallel', checks: Array.from({ length: 6 }, () => ({ mark: 'ok' })) });
  });

  it.each<[string, Partial<Findings>, string]>([
    ['lock keys contradict running tasks', { sight: { ...sight, contradictions: new Set(['t has no lock key']) } }, 't has no lock key'],
    ['a TTL is out of bounds', { sight: { ...sight, badTtls: new Set(['t has no TTL']) } }, 't has no TTL'],
    [
      'runs overlap',
      { log: { runs: 2, tasks: 1, overlaps: [{ task: 't', earlier: run, later: { ...run, fence: 2, worker: 'w2' } }], concurrency: null } },
      't ran twice at once, fence 1 by w1 and 2 by w2',
    ],
    ['a task of the trial ran twice', { trial: { ...trial, wrong: 1 } }, '1 of 320 tasks did not run exactly once'],
  ])('is at fault where %s', (_, findings, words) => {
    const { verdict, reason } = judge({ ...sound, ...findings });
    expect(verdict).toBe('at fault');
    expect(reason).toContain(words);
  });

  it.each<[string, Partial<Findings>]>([
    ['one task runs at a time though others wait', { log: { runs: 40, tasks: 40, overlaps: [], concurrency: { most: 1, mean: 1 } } }],
    [
      'one slot is all there is, though nothing waited when it was looked at',
      { slots: 1, log: { runs: 2, tasks: 2, overlaps: [], concurrency: { most: 1, mean: 1 } }, sight: { ...sight, backlogLooks: 0 } },
    ],
    ['looks alone saw little more than one at a time', { log: null, sight: { ...sight, running: 11, mostRunning: 2 } }],
    ['all work is on one of several shards', { interleaving: { sightings: new Map([['00', 40]]), switches: 0 } }],
    [
      'one shard is worked off after the other',
      {
        interleaving: {
          sightings: new Map([
            ['00', 20],
            ['01', 20],
          ]),
          switches: 1,
        },
      },
    ],
    ['several workers are hardly faster than one', { trial: { ...trial, togetherMs: 1_950, speedUp: 1.03 } }],
  ])('is serial where %s', (_, findings) => {
    expect(judge({ ...sound, ...findings }).verdict).toBe('serial');
  });

  it('is that nothing was seen where nothing ran', () => {
    const idle = { ...sight, running: 0, locks: 0, busyLooks: 0, backlogLooks: 0, mostRunning: 0, ttls: 0 };
    const interleaving = { sightings: new Map(), switches: 0 };
    expect(judge({ ...sound, sight: idle, interleaving, log: null })).toMatchObject({ verdict: 'nothing seen' });
  });

  it('is that there was too little work where no second task ever waited', () => {
    const log = { runs: 3, tasks: 3, overlaps: [], concurrency: { most: 1, mean: 1 } };
    expect(judge({ ...sound, log, sight: { ...sight, backlogLooks: 0 } }).verdict).toBe('too little work');
  });

  it('does not take a few long tasks, on whatever shards they are, for shards that take no turns', () => {
    const few = { sightings: new Map(Object.entries({ '00': 2, '01': 1 })), switches: 1 };
    const { verdict, checks } = judge({ ...sound, interleaving: few });
    expect([verdict, checks[2]?.mark]).toEqual(['parallel', 'unseen']);
  });

  it('leaves out what could not be seen, and goes by the rest', () => {
    const unseen = { log: null, interleaving: { unseen: 'MONITOR was refused' }, trial: { unseen: 'left out' } };
    const { verdict, checks } = judge({ ...sound, ...unseen });
    expect(verdict).toBe('parallel');
    expect(checks.map(({ mark }) => mark)).toEqual(['ok', 'ok', 'unseen', 'unseen', 'ok', 'unseen']);
  });
});

describe('a trial', () => {
  it('has the workers and slots of the system, within bounds; one worker is compared slot by slot', () => {
    expect(planTrial([2, 2, 2])).toMatchObject({ workers: 3, slots: 2 });
    expect(planTrial([4, 1])).toMatchObject({ workers: 2, slots: 1 });
    expect(planTrial([4])).toMatchObject({ workers: 4, slots: 1 });
    expect(planTrial([256])).toMatchObject({ workers: 16, slots: 1 });
    expect(planTrial([1])).toBeNull();
    expect(planTrial([])).toBeNull();
  });
});
