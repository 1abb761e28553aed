import { errorEntry, type Problem, problemSchema, SERVER_EVENTS } from '@galley/contract';
import type * as z from 'zod/mini';
import { ApiError, unexpectedAnswer } from './error.ts';
import type { LiveEvent } from './live.ts';

export * as schemas from './schemas.ts';

/** Parses a body by its schema; a body the contract does not allow is an ApiError that names the first field at fault. */
export function parseAnswer<T>(schema: z.ZodMiniType<T>, body: unknown, status: number, name: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw unexpectedAnswer(status, `${name}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'does not fit the contract'}`);
}

function fromProblem(problem: Problem, status: number, retryAfter: number | undefined): ApiError {
  const entry = errorEntry(problem.code);
  return new ApiError({
    code: problem.code,
    title: problem.title,
    detail: problem.detail ?? '',
    remedy: problem.remedy ?? entry.remedy,
    status,
    retryAfter,
    body: problem,
  });
}

/** The error of an answer outside 200–299. `body` is its parsed JSON, or undefined where it had none. */
export function errorOfAnswer(status: number, body: unknown, retryAfterHeader: string | null): ApiError {
  const seconds = retryAfterHeader === null ? Number.NaN : Number(retryAfterHeader);
  const problem = problemSchema.safeParse(body);
  if (problem.success) return fromProblem(problem.data, status, Number.isFinite(seconds) ? seconds : undefined);
  return unexpectedAnswer(status, `HTTP ${status} without problem details`);
}

/** An event of the server, parsed by the contract; null where it does not fit. */
export function parseServerEvent(name: keyof typeof SERVER_EVENTS, payload: unknown): LiveEvent | null {
  switch (name) {
    case 'snapshot': {
      const parsed = SERVER_EVENTS.snapshot.safeParse(payload);
      return parsed.success ? { kind: 'snapshot', snapshot: parsed.data } : null;
    }
    case 'task': {
      const parsed = SERVER_EVENTS.task.safeParse(payload);
      return parsed.success ? { kind: 'task', task: parsed.data } : null;
    }
    case 'dead_letters': {
      const parsed = SERVER_EVENTS.dead_letters.safeParse(payload);
      return parsed.success ? { kind: 'dead_letters', deadLetters: parsed.data } : null;
    }
    case 'operation': {
      const parsed = SERVER_EVENTS.operation.safeParse(payload);
      return parsed.success ? { kind: 'operation', operation: parsed.data } : null;
    }
  }
}
