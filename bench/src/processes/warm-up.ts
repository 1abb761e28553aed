import { SYSTEMS } from '../systems/index.ts';
import { payloadNow } from '../systems/payload.ts';
import type { WorkerOrder } from './messages.ts';

const CHUNK = 500;

/** Does no-op tasks in a queue of this process's own, so that what is measured afterwards is compiled code. */
export async function warmUp(order: WorkerOrder): Promise<void> {
  const system = SYSTEMS[order.system];
  const setup = { ...order, queue: `${order.queue}-warm-${process.pid}` };
  const producer = await system.openProducer(setup);
  for (let sent = 0; sent < order.warmUp; sent += CHUNK) {
    await producer.addMany(Array.from({ length: Math.min(CHUNK, order.warmUp - sent) }, () => ({ priority: 1, payload: payloadNow() })));
  }
  await producer.close();
  let ended = 0;
  let finish = (): void => {};
  const all = new Promise<void>((resolve) => (finish = resolve));
  const worker = await system.openWorker(setup, {
    handle: () => Promise.resolve(),
    ended: () => {
      if (++ended === order.warmUp) finish();
    },
    claimed: () => {},
  });
  await worker.start();
  await all;
  await worker.stop();
}
