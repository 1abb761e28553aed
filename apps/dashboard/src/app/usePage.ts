import { useLocation } from 'wouter';
import type { PageName } from '../routing/index.ts';

const FIRST_SEGMENTS: Readonly<Record<string, PageName>> = {
  '': 'overview',
  tasks: 'tasks',
  upload: 'upload',
  'dead-letters': 'deadLetters',
  system: 'system',
};

/** The item of the side bar that the address belongs to. */
export function usePage(): PageName | null {
  const [location] = useLocation();
  return FIRST_SEGMENTS[location.split('/')[1] ?? ''] ?? null;
}
