import { type Logger, pino } from 'pino';
import type { WorkerConfig } from './config.ts';

/** JSON lines on stdout, written at once: the last words of a dying process are the ones that matter. */
export function createLogger(config: Pick<WorkerConfig, 'logLevel'>): Logger {
  return pino({ level: config.logLevel, base: { program: 'worker', pid: process.pid } }, pino.destination({ fd: 1, sync: true }));
}
