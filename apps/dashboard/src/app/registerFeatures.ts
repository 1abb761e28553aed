import { register as registerDeadLetters } from '../features/dead-letters/register.ts';
import { register as registerTasks } from '../features/tasks/register.ts';
import { register as registerUpload } from '../features/upload/register.ts';

/** Lets features put their commands and drop targets in place before their pages are loaded; their register.ts stays small. */
export function registerFeatures(): void {
  registerUpload();
  registerTasks();
  registerDeadLetters();
}
