import type { Role } from './requests.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Express and OpenAPI share `:name` parameters. */
  readonly path: string;
  /** The least role; `none` is open to all. `user` routes show a user only what is theirs. */
  readonly role: Role | 'none';
}

/** Every HTTP route, by name (DESIGN §6). */
export const ROUTES = {
  submitDocuments: { method: 'POST', path: '/api/v1/documents', role: 'user' },
  submitTask: { method: 'POST', path: '/api/v1/tasks', role: 'user' },
  submitTasks: { method: 'POST', path: '/api/v1/tasks/batch', role: 'user' },
  listTasks: { method: 'GET', path: '/api/v1/tasks', role: 'viewer' },
  actOnTasks: { method: 'POST', path: '/api/v1/tasks/actions', role: 'admin' },
  getTask: { method: 'GET', path: '/api/v1/tasks/:id', role: 'viewer' },
  getTaskEvents: { method: 'GET', path: '/api/v1/tasks/:id/events', role: 'viewer' },
  getTaskResult: { method: 'GET', path: '/api/v1/tasks/:id/result', role: 'viewer' },
  listPages: { method: 'GET', path: '/api/v1/tasks/:id/pages', role: 'viewer' },
  getPage: { method: 'GET', path: '/api/v1/tasks/:id/pages/:n', role: 'viewer' },
  getPageImage: { method: 'GET', path: '/api/v1/tasks/:id/pages/:n/image', role: 'viewer' },
  cancelTask: { method: 'POST', path: '/api/v1/tasks/:id/cancel', role: 'user' },
  reprioritizeTask: { method: 'POST', path: '/api/v1/tasks/:id/priority', role: 'user' },
  deleteTask: { method: 'DELETE', path: '/api/v1/tasks/:id', role: 'user' },
  getOperation: { method: 'GET', path: '/api/v1/operations/:id', role: 'admin' },
  listDeadLetters: { method: 'GET', path: '/api/v1/dead-letters', role: 'viewer' },
  retryDeadLetters: { method: 'POST', path: '/api/v1/dead-letters/retry', role: 'admin' },
  purgeDeadLetters: { method: 'POST', path: '/api/v1/dead-letters/purge', role: 'admin' },
  listQueues: { method: 'GET', path: '/api/v1/queues', role: 'viewer' },
  getQueue: { method: 'GET', path: '/api/v1/queue', role: 'viewer' },
  getQueueHistory: { method: 'GET', path: '/api/v1/queue/history', role: 'viewer' },
  pauseQueue: { method: 'POST', path: '/api/v1/queue/pause', role: 'admin' },
  resumeQueue: { method: 'POST', path: '/api/v1/queue/resume', role: 'admin' },
  listWorkers: { method: 'GET', path: '/api/v1/workers', role: 'viewer' },
  getSession: { method: 'GET', path: '/api/v1/session', role: 'none' },
  openSession: { method: 'POST', path: '/api/v1/session', role: 'none' },
  closeSession: { method: 'DELETE', path: '/api/v1/session', role: 'none' },
  getSystem: { method: 'GET', path: '/api/v1/system', role: 'viewer' },
  setAlertThresholds: { method: 'POST', path: '/api/v1/system/alerts', role: 'admin' },
  listAudit: { method: 'GET', path: '/api/v1/audit', role: 'admin' },
  getOpenApi: { method: 'GET', path: '/api/v1/openapi.json', role: 'none' },
  getMetrics: { method: 'GET', path: '/metrics', role: 'none' },
  getHealth: { method: 'GET', path: '/healthz', role: 'none' },
  getReadiness: { method: 'GET', path: '/readyz', role: 'none' },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;

/** The route's path with its parameters filled in and encoded. */
export function routePath(name: RouteName, parameters: Readonly<Record<string, string | number>> = {}): string {
  return ROUTES[name].path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = parameters[parameter];
    if (value === undefined) throw new TypeError(`route ${name} needs the parameter ${parameter}`);
    return encodeURIComponent(String(value));
  });
}
