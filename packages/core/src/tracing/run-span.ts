import type { Execution } from '../worker/executor.ts';
import type { Run } from '../worker/run.ts';
import { openSpan, recordSpan } from './tracing.ts';

/** Executes a run under a span of its own, in the trace of its submit, behind one for the time that it waited before its first run. */
export function traceRun(run: Run, execute: () => Promise<Execution>): Promise<Execution> {
  const { header } = run.message;
  const { record } = run.row;
  const attributes = {
    'galley.task.id': run.id,
    'galley.task.type': header.type,
    'galley.queue': run.queue.name,
    'galley.run.fence': run.fence,
    'galley.run.attempt': record.attempts + 1,
  };
  const facts = { kind: 'consumer', attributes, parent: header.trace } as const;
  const span = openSpan('galley.run', facts);
  if (span === null) return execute();
  if (run.fence === 1) recordSpan('galley.wait', facts, record.createdAt, record.since);
  run.traceparent = span.traceparent;
  return span.around(execute, (execution) => ({ failedWith: execution.ok ? null : execution.failure }));
}
