import type { Handlers, TaskContext } from '../worker/handler.ts';

export interface GateHandlers {
  readonly handlers: Handlers;
  /** What runs now, by task id. */
  readonly running: Map<string, TaskContext>;
  /** The most that ran at once. */
  most(): number;
  open(id: string): void;
}

/** Handlers that a test lets go one by one. */
export function gates(): GateHandlers {
  const running = new Map<string, TaskContext>();
  const opens = new Map<string, () => void>();
  let most = 0;
  return {
    running,
    most: () => most,
    open: (id) => opens.get(id)?.(),
    handlers: {
      work: (context) =>
        new Promise((resolve, reject) => {
          running.set(context.id, context);
          most = Math.max(most, running.size);
          const leave = (): void => void running.delete(context.id);
          opens.set(context.id, () => {
            leave();
            resolve('done');
          });
          context.signal.addEventListener('abort', () => {
            leave();
            reject(context.signal.reason as Error);
          });
        }),
    },
  };
}
