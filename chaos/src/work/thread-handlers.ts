import type { Handlers } from '@galley/core';
import { HistoryWriter } from '../history/writer.ts';
import { handlersOf } from './handlers.ts';

/**
 * What each thread of a worker loads. Where the history lies and whose thread this is stand in the query of this module's own
 * address, since a thread is handed nothing else.
 */
const { searchParams } = new URL(import.meta.url);

export const handlers: Handlers = handlersOf(new HistoryWriter(searchParams.get('history') ?? '.', searchParams.get('by') ?? 'unknown'));
