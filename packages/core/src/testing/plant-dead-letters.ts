import type { ShardLayout } from '../queue/layout.ts';
import type { Queue } from '../queue/queue.ts';
import { timelineMs } from '../queue/settings.ts';
import { prepareCall } from '../redis/connection.ts';
import { replayKey } from '../redis/keys.ts';
import type { Json } from '../rules/message.ts';
import { claimScript, parseClaim } from '../scripts/claim.ts';
import { failScript, parseFail } from '../scripts/fail.ts';

const SUBMITS = 2_000;
const BATCH = 100;
const WORKER = 'planter';

/** Claims and buries what waits in one shard, a hundred at a time, by the real scripts; how many that were. */
async function buryShard(queue: Queue, shard: ShardLayout, code: string, round: string): Promise<number> {
  const { connection, settings, layout } = queue;
  const common = { sequence_at: shard.sequenceAt, worker: WORKER, timeline_ms: timelineMs(settings) };
  for (let buried = 0; ; ) {
    const call = prepareCall(
      claimScript,
      { ...shard.keys, replay: replayKey(shard.keys.base, WORKER, 0) },
      {
        ...common,
        request_id: `${round}:${buried}`,
        replay_ms: 60_000,
        lease_ms: settings.leaseMs,
        limit: BATCH,
        bound: '',
        lock_keys: layout.lockKeys ? 1 : 0,
      },
    );
    const [words = []] = (await connection.roundTrip([call], [])).calls;
    if (words instanceof Error) throw words;
    const { tasks } = parseClaim(words);
    if (tasks.length === 0) return buried;
    const error = JSON.stringify({ code, message: 'planted' });
    const rows = tasks.map(({ id, record }) => ({ id, fence: record.fence, class: 'permanent', code, delay_ms: 0, error }));
    const values = { ...common, deferred_limit_ms: settings.deferredLimitMs };
    const died = parseFail(await connection.run(failScript, shard.keys, values, rows)).words;
    buried += died.filter((word) => word === 'dead_letter').length;
  }
}

/**
 * Brings `count` tasks into being and to death, over all shards of a queue where nothing else waits and nobody claims. Some
 * 15,000 a second.
 */
export async function plantDeadLetters(
  queue: Queue,
  count: number,
  { code = 'corrupt_document', type = 'work', payload = () => null }: { code?: string; type?: string; payload?: () => Json } = {},
): Promise<void> {
  for (let planted = 0; planted < count; ) {
    const wanted = Math.min(SUBMITS, count - planted);
    await Promise.all(Array.from({ length: wanted }, () => queue.submit(type, payload())));
    const buried = await Promise.all(queue.layout.shardList.map((shard) => buryShard(queue, shard, code, String(planted))));
    const sum = buried.reduce((total, own) => total + own, 0);
    if (sum !== wanted) throw new Error(`${sum} of ${wanted} tasks died as they were planted`);
    planted += wanted;
  }
}
