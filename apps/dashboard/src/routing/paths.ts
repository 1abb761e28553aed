/** Every page's address. Nobody writes a path elsewhere. */
export const PATHS = {
  overview: '/',
  tasks: '/tasks',
  task: '/tasks/:id',
  reader: '/tasks/:id/read',
  upload: '/upload',
  deadLetters: '/dead-letters',
  system: '/system',
} as const;

export type PageName = 'overview' | 'tasks' | 'upload' | 'deadLetters' | 'system';

export type QueryFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A path with its query; lists are joined by commas, unset fields are left out. */
export function withQuery(path: string, fields: QueryFields): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) {
    const text = typeof value === 'string' ? value : value?.join(',');
    if (text !== undefined && text !== '') query.set(key, text);
  }
  // A comma needs no escape in a query, and a person reads this address.
  const text = query.toString().replaceAll('%2C', ',');
  return text === '' ? path : `${path}?${text}`;
}

export const taskPath = (taskId: string): string => `/tasks/${encodeURIComponent(taskId)}`;
export const readerPath = (taskId: string, page?: number): string =>
  withQuery(`${taskPath(taskId)}/read`, { page: page === undefined ? undefined : String(page) });
/** The task list with a filter, by the names of `GET /tasks`. */
export const tasksPath = (filter: QueryFields = {}): string => withQuery(PATHS.tasks, filter);
export const deadLettersPath = (code?: string): string => withQuery(PATHS.deadLetters, { code });
/** The dead letters, asking at once whether all of them, or those of a code, shall be retried. */
export const retryDeadPath = (code?: string): string => withQuery(PATHS.deadLetters, { code, ask: 'retry' });
export const systemPath = (section?: string): string => PATHS.system + (section === undefined ? '' : `#${section}`);

/** The path on the shown queue: every link of the page keeps `?queue=`, which the default queue does without. */
export function onQueue(path: string, queue: string, defaultQueue: string): string {
  if (queue === defaultQueue || /[?&]queue=/.test(path)) return path;
  const [rest = '', hash] = path.split('#');
  const joined = `${rest}${rest.includes('?') ? '&' : '?'}queue=${queue}`;
  return hash === undefined ? joined : `${joined}#${hash}`;
}
