import type { Connection } from './connection.ts';

/** Resolves when the work has ended, or when Redis is away: what waits for it then waits for as long as it stays away. */
export async function unlessAway(connection: Connection, work: Promise<unknown>): Promise<void> {
  let quiet = (): void => undefined;
  const away = new Promise<void>((resolve) => {
    if (!connection.isUp()) resolve();
    else quiet = connection.onAvailability((up) => (up ? undefined : resolve()));
  });
  await Promise.race([work, away]).finally(() => quiet());
}
