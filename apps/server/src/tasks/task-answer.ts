import {
  documentPayloadSchema,
  ENGINES,
  type Engine,
  type PageState,
  pagePayloadSchema,
  type StoredDocument,
  type Task,
} from '@galley/contract';
import type { TaskView } from '@galley/core';

export interface PagesRead {
  readonly total: number;
  readonly failed: number;
}

/** What a task's answer takes from elsewhere than its record. */
export interface TaskExtras {
  /** Place in line, from 1. */
  readonly position?: number | null;
  /** The pages of a document that did not fan out, which its result tells. */
  readonly pages?: PagesRead | null;
  /** The document that a page task belongs to. */
  readonly parent?: TaskView | null;
  /** Whether errors carry their stack traces, which are for admins. */
  readonly stacks?: boolean;
}

export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

const isoOrNothing = (milliseconds: number | null): string | undefined => (milliseconds === null ? undefined : isoTime(milliseconds));

/** Who a task belongs to; undefined where it is nobody's. A page belongs to its document's user. */
export function ownerOf(view: TaskView): string | undefined {
  return view.header.tags?.user;
}

interface PayloadFacts {
  readonly filename?: string | undefined;
  readonly sha256?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly engine?: string | undefined;
  readonly userId?: string | undefined;
}

/** What a payload of the OCR queues says; nothing of tasks of other kinds. */
export function payloadFacts(view: TaskView): PayloadFacts {
  const document = documentPayloadSchema.safeParse(view.payload);
  if (view.parentId === null && document.success) {
    const { filename, sha256, size_bytes: sizeBytes, engine, user_id: userId, image_url: url } = document.data;
    return { filename: filename ?? url, sha256, sizeBytes, engine, userId };
  }
  const page = pagePayloadSchema.safeParse(view.payload);
  return page.success ? { sha256: page.data.sha256, engine: page.data.engine } : {};
}

function engineOf(name: string | undefined): Engine | undefined {
  return ENGINES.find((engine) => engine === name);
}

function pageCounts(view: TaskView, read: PagesRead | null | undefined): Task['pages'] {
  if (view.children !== null) return { total: view.children.total, done: view.children.completed, failed: view.children.failed };
  if (read === null || read === undefined) return undefined;
  return { total: read.total, done: read.total - read.failed, failed: read.failed };
}

function progressOf(view: TaskView): number {
  if (view.state === 'completed') return 1;
  if (view.children === null || view.children.total === 0) return view.progress;
  return Math.min(1, (view.children.completed + view.children.failed) / view.children.total);
}

/** A task as the contract answers it. */
export function taskAnswer(view: TaskView, extras: TaskExtras = {}): Task {
  const facts = payloadFacts(view);
  const parent = extras.parent === null || extras.parent === undefined ? null : extras.parent;
  const running = view.state === 'processing';
  return {
    task_id: view.id,
    queue: view.queue,
    type: view.header.type,
    status: view.state,
    priority: view.priority,
    user_id: facts.userId ?? ownerOf(view) ?? (parent === null ? undefined : ownerOf(parent)),
    filename: facts.filename ?? (parent === null ? undefined : payloadFacts(parent).filename),
    sha256: facts.sha256,
    size_bytes: facts.sizeBytes,
    engine: engineOf(facts.engine),
    parent_id: view.parentId ?? undefined,
    page: view.childNumber ?? undefined,
    created_at: isoTime(view.createdAt),
    started_at: isoOrNothing(view.startedAt),
    finished_at: isoOrNothing(view.finishedAt),
    due_at: isoOrNothing(view.dueAt),
    attempts: view.attempts,
    crashes: view.crashes,
    max_retries: view.maxRetries,
    progress: progressOf(view),
    pages: pageCounts(view, extras.pages),
    worker_id: view.worker ?? undefined,
    fence: view.fence,
    lease_expires_at: running ? isoOrNothing(view.leaseExpiresAt) : undefined,
    position: extras.position ?? undefined,
    errors: view.errors.map(({ at, code, message, attempt, stack }) => ({
      at: isoTime(at),
      code,
      message,
      attempt,
      ...(extras.stacks === true && stack !== undefined ? { stack } : {}),
    })),
    result_expires_at: isoOrNothing(view.resultExpiresAt),
  };
}

/** A page that is a task of its own. */
export function pageStateOfChild(view: TaskView, size: { readonly width: number; readonly height: number } | undefined): PageState {
  const last = view.errors.at(-1);
  return {
    page: view.childNumber ?? 1,
    status: view.state,
    task_id: view.id,
    ...(view.startedAt === null ? {} : { started_at: isoTime(view.startedAt) }),
    ...(view.finishedAt === null ? {} : { finished_at: isoTime(view.finishedAt) }),
    ...(size === undefined ? {} : { width: size.width, height: size.height }),
    ...(view.state === 'dead_letter' && last !== undefined ? { error: { code: last.code, message: last.message } } : {}),
  };
}

/** The pages of a document that was read in one run; one that could not be read is dead, as it would be as a task of its own. */
export function pageStatesOfDocument(view: TaskView, document: StoredDocument): PageState[] {
  return document.result.pages.map((page) => ({
    page: page.page,
    status: page.error === undefined ? 'completed' : 'dead_letter',
    task_id: view.id,
    width: page.width,
    height: page.height,
    ...(page.error === undefined ? {} : { error: page.error }),
  }));
}
