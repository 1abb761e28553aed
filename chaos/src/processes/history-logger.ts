import type { Logger } from '@galley/core';
import { z } from 'zod';
import type { HistoryWriter } from '../history/writer.ts';

const lockLine = z.object({
  event: z.enum(['lock acquired', 'lock released']),
  task: z.string(),
  fence: z.number(),
  outcome: z.string().optional(),
});

function textOf(fields: object, message: string): string {
  const told = Object.entries(fields).map(([name, value]: [string, unknown]) => `${name}=${String(value)}`);
  return `${message}: ${told.join(' ')}`;
}

/** Turns what a worker logs of its runs into history: that is how a worker tells what Redis has told it. */
export function historyLogger(history: HistoryWriter): Logger {
  return {
    debug: () => undefined,
    info: (fields) => {
      const parsed = lockLine.safeParse(fields);
      if (!parsed.success) return;
      const { event, task, fence, outcome = '' } = parsed.data;
      if (event === 'lock acquired') history.write({ event: 'run claimed', task, fence });
      else history.write({ event: 'run told', task, fence, outcome });
    },
    warn: (fields, message) => history.write({ event: 'complaint', level: 'warn', detail: textOf(fields, message) }),
    error: (fields, message) => history.write({ event: 'complaint', level: 'error', detail: textOf(fields, message) }),
  };
}
