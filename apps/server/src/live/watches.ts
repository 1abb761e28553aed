import { parseTaskId } from '@galley/core';

export const WATCHES_PER_CLIENT = 100;

/** Who watches which task. A change of a page is a change of its document. */
export class Watches<Client> {
  private readonly byTask = new Map<string, Set<Client>>();
  private readonly byClient = new Map<Client, Set<string>>();

  /** False where the client has as many watches as it may. */
  add(client: Client, taskId: string): boolean {
    const own = this.byClient.get(client) ?? new Set();
    if (!own.has(taskId) && own.size >= WATCHES_PER_CLIENT) return false;
    own.add(taskId);
    this.byClient.set(client, own);
    const watchers = this.byTask.get(taskId) ?? new Set();
    watchers.add(client);
    this.byTask.set(taskId, watchers);
    return true;
  }

  remove(client: Client, taskId: string): void {
    const own = this.byClient.get(client);
    own?.delete(taskId);
    if (own?.size === 0) this.byClient.delete(client);
    const watchers = this.byTask.get(taskId);
    watchers?.delete(client);
    if (watchers?.size === 0) this.byTask.delete(taskId);
  }

  /** Answers the tasks that nobody watches any more. */
  removeClient(client: Client): string[] {
    const own = [...(this.byClient.get(client) ?? [])];
    for (const taskId of own) this.remove(client, taskId);
    return own.filter((taskId) => !this.byTask.has(taskId));
  }

  watchers(taskId: string): readonly Client[] {
    return [...(this.byTask.get(taskId) ?? [])];
  }

  taskIds(): string[] {
    return [...this.byTask.keys()];
  }

  /** The watched tasks that these ids are or belong to. */
  touched(ids: readonly string[]): string[] {
    if (this.byTask.size === 0) return [];
    const touched = new Set<string>();
    for (const id of ids) {
      if (this.byTask.has(id)) touched.add(id);
      const parent = id.includes('.') ? (parseTaskId(id)?.parentId ?? null) : null;
      if (parent !== null && this.byTask.has(parent)) touched.add(parent);
    }
    return [...touched];
  }
}
