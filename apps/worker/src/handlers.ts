import { DOCUMENT_TASK, PAGE_TASK } from '@galley/contract';
import type { Handlers } from '@galley/core';
import { readConfig } from './config.ts';
import { handleDocument } from './tasks/document.ts';
import { handlePage } from './tasks/page.ts';
import { createTools } from './tools/tools.ts';

/** Loaded once in every thread; threads have their process's environment. */
const tools = createTools(readConfig());

export const handlers: Handlers = {
  [DOCUMENT_TASK]: (context) => handleDocument(context, tools),
  [PAGE_TASK]: (context) => handlePage(context, tools),
};
