import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The longest any one wait in a benchmark may take. */
const LONGEST_WAIT_MS = 300_000;

/** A process of this folder, spoken with over IPC. Fails whoever waits on it when it ends unasked. */
export class Child<Message extends { readonly kind: string }> {
  private readonly child: ChildProcess;
  private readonly listeners = new Set<(message: Message) => void>();
  private readonly failures = new Set<(error: Error) => void>();
  private readonly name: string;

  constructor(script: 'worker-process.js' | 'submit-process.js', order: object, nodeOptions: readonly string[] = []) {
    this.name = script;
    this.child = fork(new URL(script, import.meta.url), [JSON.stringify(order)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
      execArgv: [...nodeOptions],
    });
    this.child.on('message', (message) => {
      for (const listener of this.listeners) listener(message as Message);
    });
    this.child.on('exit', (code) => {
      for (const fail of this.failures) fail(new Error(`${this.name} ended with ${code} before it had answered`));
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  send(command: string): void {
    this.child.send(command);
  }

  listen(listener: (message: Message) => void): void {
    this.listeners.add(listener);
  }

  /** The next message of this kind. */
  next<Kind extends Message['kind']>(kind: Kind): Promise<Extract<Message, { kind: Kind }>> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.listeners.delete(listener);
        this.failures.delete(fail);
      };
      const listener = (message: Message): void => {
        if (message.kind !== kind) return;
        settle();
        resolve(message as Extract<Message, { kind: Kind }>);
      };
      const fail = (error: Error): void => {
        settle();
        reject(error);
      };
      const timer = setTimeout(() => fail(new Error(`${this.name} did not say "${kind}" in time`)), LONGEST_WAIT_MS);
      this.listeners.add(listener);
      this.failures.add(fail);
    });
  }

  /** Ends it if it has not ended by itself within `graceMs`. */
  async end(graceMs = 0): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
  }
}
