import { readdirSync, readFileSync } from 'node:fs';
import { TASK_EVENTS } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { FEED_VERBS, Feed, type FeedEvent } from './feed.ts';
import { feedChannel } from './redis/keys.ts';
import { until } from './testing/scheduler.ts';
import { schedulerSuite } from './testing/suite.ts';

const suite = schedulerSuite();
const SCRIPTS = new URL('scripts/', import.meta.url);
const page = readFileSync(new URL('../../../docs/library.md', import.meta.url), 'utf8');

const lua = ['', 'fragments/'].flatMap((folder) =>
  readdirSync(new URL(folder, SCRIPTS))
    .filter((file) => file.endsWith('.lua'))
    .map((file) => readFileSync(new URL(folder + file, SCRIPTS), 'utf8')),
);

/** The first words of the rows of the page's table under this heading. */
function rowsUnder(heading: string): string[] {
  const table = page.slice(page.indexOf(`| ${heading} |`)).split('\n\n')[0] ?? '';
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1] ?? '');
}

describe('events', () => {
  it('say of a task that a duplicate has lifted that it was reprioritized, and in its timeline too', async () => {
    const { scheduler, given } = await suite.open({ shards: 1, settings: { timelines: true } });
    const id = await given.pending({ identity: ['same'] });
    const heard: FeedEvent[] = [];
    const feed = new Feed(suite.connection, { onEvent: (event) => heard.push(event) });
    await feed.follow(scheduler.queue.layout);
    await scheduler.queue.submit('work', null, { identity: ['same'], priority: 100 });
    await scheduler.queue.submit('work', null, { identity: ['same'], priority: 5 });
    await scheduler.queue.cancel(id);
    await until('all is heard', () => Promise.resolve(heard.at(-1)?.verb === 'cancelled'));
    feed.close();
    expect(heard.map(({ verb, taskIds }) => [verb, taskIds])).toEqual([
      ['reprioritized', [id]],
      ['cancelled', [id]],
    ]);
    const events = await scheduler.inspector.events(id);
    expect(events.map(({ event, detail }) => [event, detail])).toContainEqual(['reprioritized', '5']);
  });

  it('are typed and described as the scripts say them', () => {
    const said = lua.flatMap((body) => [...body.matchAll(/^-- EVENT: (\w+) /gm)].map((match) => match[1] ?? ''));
    expect(said.toSorted()).toEqual([...FEED_VERBS].toSorted());
    expect(rowsUnder('verb')).toEqual([...FEED_VERBS]);
  });

  it('of a timeline are typed and described as the scripts write them', () => {
    const written = lua.flatMap((body) => [...body.matchAll(/\bnote\([^']*'(\w+)'/g)].map((match) => match[1] ?? ''));
    expect([...new Set(written)].toSorted()).toEqual([...TASK_EVENTS].toSorted());
    expect(rowsUnder('event').toSorted()).toEqual([...TASK_EVENTS].toSorted());
  });

  it('are heard as they happen, with all tasks that moved, and words of a newer process are passed over', async () => {
    const { scheduler, given } = await suite.open({ shards: 1 });
    const heard: FeedEvent[] = [];
    const feed = new Feed(suite.connection, { onEvent: (event) => heard.push(event) });
    await feed.follow(scheduler.queue.layout);
    const channel = feedChannel(scheduler.shard.keys.base);
    const family = await given.waitingForChildren(2);
    const [first = '', second = ''] = family.children;
    await given.childCompleted(first);
    await suite.connection.client.publish(channel, 'teleported somewhere');
    await given.childDead(second);
    await scheduler.queue.cancel(family.id);
    const { name: queue } = scheduler.queue;
    await until('all is heard', () => Promise.resolve(heard.at(-1)?.verb === 'cancelled'));
    expect(heard).toEqual([
      { queue, verb: 'submitted', taskIds: [family.id] },
      { queue, verb: 'claimed', taskIds: [family.id] },
      { queue, verb: 'fanned_out', taskIds: [first, second, family.id] },
      { queue, verb: 'claimed', taskIds: [first] },
      { queue, verb: 'completed', taskIds: [first] },
      { queue, verb: 'claimed', taskIds: [second] },
      { queue, verb: 'failed', taskIds: expect.arrayContaining([second, family.id]) },
      { queue, verb: 'cancelled', taskIds: [family.id] },
    ]);
    feed.close();
  });

  it('of a timeline are read back typed, those of a newer process passed over', async () => {
    const { scheduler, given } = await suite.open({ shards: 1, settings: { timelines: true } });
    const { id } = await given.retrying();
    const events = await scheduler.inspector.events(id);
    expect(events.map(({ event }) => event)).toEqual(['submitted', 'claimed', 'failed']);
    expect(events.at(-1)).toMatchObject({ at: expect.any(Number), run: 1, worker_id: 'w1', code: 'unknown_error' });
    await suite.connection.client.rpush(`${scheduler.shard.keys.base}events:${id}`, '{"at":1,"event":"teleported"}');
    expect(await scheduler.inspector.events(id)).toEqual(events);
  });
});
