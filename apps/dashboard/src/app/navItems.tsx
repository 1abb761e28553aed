import { Activity, List, MailX, ServerCog, Upload } from 'lucide-react';
import type { ReactNode } from 'react';
import { PATHS, type PageName } from '../routing/index.ts';

export interface NavItem {
  readonly page: PageName;
  readonly path: string;
  readonly icon: (size: number) => ReactNode;
}

export const NAV_ITEMS: readonly NavItem[] = [
  { page: 'overview', path: PATHS.overview, icon: (size) => <Activity size={size} strokeWidth={1.75} aria-hidden="true" /> },
  { page: 'tasks', path: PATHS.tasks, icon: (size) => <List size={size} strokeWidth={1.75} aria-hidden="true" /> },
  { page: 'upload', path: PATHS.upload, icon: (size) => <Upload size={size} strokeWidth={1.75} aria-hidden="true" /> },
  { page: 'deadLetters', path: PATHS.deadLetters, icon: (size) => <MailX size={size} strokeWidth={1.75} aria-hidden="true" /> },
  { page: 'system', path: PATHS.system, icon: (size) => <ServerCog size={size} strokeWidth={1.75} aria-hidden="true" /> },
];
