/** What this process was told to do: JSON in its first argument, written by the orchestrator of the same build. */
export function readOrder<Order>(): Order {
  return JSON.parse(process.argv[2] ?? '') as Order;
}

export function say(message: object): void {
  process.send?.(message);
}

/** CPU that this process has used, user and system, all threads. */
export function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
