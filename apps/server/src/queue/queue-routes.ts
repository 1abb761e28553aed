import { HISTORY_RANGES, historyQuerySchema, LIVE_STATES, queueQuerySchema } from '@galley/contract';
import { readHistory, stateCounts } from '@galley/core';
import { type Exchange, type Handler, parseQuery, sendJson } from '../http/exchange.ts';
import type { Services } from '../services.ts';

export function queueRoutes({ queues, snapshots, connection, audit }: Services) {
  const setPaused = async (exchange: Exchange, paused: boolean): Promise<void> => {
    const served = await queues.get(parseQuery(exchange, queueQuerySchema).queue);
    await (paused ? served.queue.pause() : served.queue.resume());
    await audit.note(exchange.principal, paused ? 'pause' : 'resume', `queue ${served.queue.name}`);
    sendJson(exchange, (await snapshots.read(served, 0)).snapshot);
  };
  return {
    listQueues: async (exchange) => {
      const rows = await Promise.all(
        queues.all().map(async ({ queue, inspector }) => {
          const [counts, paused] = await Promise.all([inspector.counts(), inspector.isPaused()]);
          const states = stateCounts(counts);
          return {
            queue: queue.name,
            shards: queue.layout.shards,
            live: LIVE_STATES.reduce((sum, state) => sum + states[state], 0),
            paused,
          };
        }),
      );
      sendJson(exchange, { queues: rows });
    },
    getQueue: async (exchange) => {
      const served = await queues.get(parseQuery(exchange, queueQuerySchema).queue);
      sendJson(exchange, (await snapshots.read(served)).snapshot);
    },
    getQueueHistory: async (exchange) => {
      const { queue, range = '1h' } = parseQuery(exchange, historyQuerySchema);
      const { name } = (await queues.get(queue)).queue;
      sendJson(exchange, { queue: name, range, points: await readHistory(connection, name, HISTORY_RANGES[range]) });
    },
    pauseQueue: (exchange) => setPaused(exchange, true),
    resumeQueue: (exchange) => setPaused(exchange, false),
  } satisfies Record<string, Handler>;
}
