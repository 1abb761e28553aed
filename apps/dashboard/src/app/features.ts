import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { patiently } from '../loading/patiently.ts';
import { PATHS, type PageName } from '../routing/index.ts';

export interface PageRoute {
  readonly path: string;
  /** The item of the side bar that it belongs to. */
  readonly page: PageName;
  /** Each page is a chunk of its own, loaded when it is first shown. */
  readonly component: LazyExoticComponent<ComponentType>;
}

/** Every page of the dashboard. */
export const PAGES: readonly PageRoute[] = [
  { path: PATHS.overview, page: 'overview', component: lazy(patiently(() => import('../features/overview/index.tsx'))) },
  { path: PATHS.tasks, page: 'tasks', component: lazy(patiently(() => import('../features/tasks/index.tsx'))) },
  { path: PATHS.task, page: 'tasks', component: lazy(patiently(() => import('../features/task/index.tsx'))) },
  { path: PATHS.reader, page: 'tasks', component: lazy(patiently(() => import('../features/reader/index.tsx'))) },
  { path: PATHS.upload, page: 'upload', component: lazy(patiently(() => import('../features/upload/index.tsx'))) },
  { path: PATHS.deadLetters, page: 'deadLetters', component: lazy(patiently(() => import('../features/dead-letters/index.tsx'))) },
  { path: PATHS.system, page: 'system', component: lazy(patiently(() => import('../features/system/index.tsx'))) },
];
