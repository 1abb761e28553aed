import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { HistoryWriter } from '../history/writer.ts';
import { type Command, type Word, wordSchema } from './orders.ts';

/** As a supervisor would: not at once, so that a process that dies at its start does not spin. */
const RESTART_MS = 250;

export interface MemberOptions {
  /** `worker-1`; an incarnation is `worker-1.3`. */
  readonly name: string;
  readonly script: 'worker-process.js' | 'producer-process.js';
  /** The order of an incarnation. */
  readonly orderOf: (by: string) => object;
  /** Options of Node itself. */
  readonly nodeOptions: readonly string[];
  readonly history: HistoryWriter;
}

/**
 * A place in the run that one process after another fills: when one dies it is replaced, as a supervisor would, until it has
 * finished or the run lets it go.
 */
export class Member {
  readonly name: string;
  private readonly options: MemberOptions;
  private child: ChildProcess | null = null;
  private incarnation = 0;
  private retired = false;
  private restart: NodeJS.Timeout | undefined;
  private readonly waiting = new Map<Word, (() => void)[]>();
  private readonly said = new Set<Word>();

  constructor(options: MemberOptions) {
    this.name = options.name;
    this.options = options;
  }

  /** Resolves when the first incarnation serves. */
  start(): Promise<void> {
    this.spawn();
    return this.until('ready');
  }

  /** Resolves when an incarnation has said the word. */
  until(word: Word): Promise<void> {
    if (this.said.has(word)) return Promise.resolve();
    return new Promise((resolve) => this.waiting.set(word, [...(this.waiting.get(word) ?? []), resolve]));
  }

  /** Says whether there was a process to signal. */
  signal(name: NodeJS.Signals): boolean {
    return this.child?.kill(name) ?? false;
  }

  send(command: Command): boolean {
    return this.child?.connected === true && this.child.send(command);
  }

  /** SIGTERM and no replacement; kills it when it has not ended by itself in time, and says which it was. */
  async retire(withinMs: number): Promise<'ended' | 'killed'> {
    this.retired = true;
    clearTimeout(this.restart);
    const { child } = this;
    if (child === null) return 'ended';
    const exited = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    let killed = false;
    const timer = setTimeout(() => {
      killed = true;
      child.kill('SIGKILL');
    }, withinMs);
    await exited;
    clearTimeout(timer);
    return killed ? 'killed' : 'ended';
  }

  /** At once and for good: for a run that is over before its time. */
  kill(): void {
    this.retired = true;
    clearTimeout(this.restart);
    this.child?.kill('SIGKILL');
  }

  private spawn(): void {
    const { name, script, orderOf, nodeOptions, history } = this.options;
    const by = `${name}.${++this.incarnation}`;
    // The built files, also where this file itself is run from its source by a test.
    const url = new URL(`../../dist/processes/${script}`, import.meta.url);
    const child = fork(url, [JSON.stringify(orderOf(by))], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [...nodeOptions] });
    this.child = child;
    history.write({ event: 'process started', process: by });
    child.on('message', (message) => this.hear(by, wordSchema.parse(message)));
    child.once('exit', (code, signal) => {
      history.write({ event: 'process ended', process: by, code, signal });
      this.child = null;
      if (!this.retired && !this.said.has('finished')) this.restart = setTimeout(() => this.spawn(), RESTART_MS);
    });
  }

  private hear(by: string, word: Word): void {
    if (word === 'ready') this.options.history.write({ event: 'process ready', process: by });
    this.said.add(word);
    for (const resolve of this.waiting.get(word) ?? []) resolve();
    this.waiting.delete(word);
  }
}
