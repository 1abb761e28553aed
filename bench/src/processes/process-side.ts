/** What this process was told to do: JSON in its first argument, written by the orchestrator of the same build. */
export function readOrder<Order>(): Order {
  return JSON.parse(process.argv[2] ?? '') as Order;
}

/** Resolves when the message has left: a process that exits earlier takes it along. */
export function say(message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) reject(new Error('this process was not started by the orchestrator'));
    else process.send(message, undefined, {}, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

/** CPU that this process has used, user and system, all threads. */
export function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** A process whose orchestrator is gone has nothing left to do. */
export function leaveWithOrchestrator(): void {
  process.once('disconnect', () => process.exit(0));
}
