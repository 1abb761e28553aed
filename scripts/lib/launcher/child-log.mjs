import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';

const ROTATE_BYTES = 20_000_000;
const KEPT_LINES = 30;
/** So many different lines of plain stderr are remembered as shown. */
const REMEMBERED_LINES = 500;
const WARN = 40;
const ERROR = 50;

/**
 * One program's log: all of it in a file, warnings and errors on the terminal as well, the last lines in memory for the day it dies.
 * Lines are pino's JSON; a line that is not JSON comes from Node itself or from a library, and is shown when it was written to stderr, once:
 * a program that dies again and again says the same each time.
 */
export class ChildLog {
  /** @type {string[]} */
  #last = [];
  #file;
  #name;
  #say;
  /** @type {number} */
  #descriptor;
  #size;
  #pending = { stdout: '', stderr: '' };
  /** @type {Set<string>} */
  #shown = new Set();
  #hasShown = false;

  /** @param {{ directory: string, name: string, say: (line: string) => void }} options */
  constructor({ directory, name, say }) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#name = name;
    this.#say = say;
    this.#file = path.join(directory, `${name}.log`);
    this.#descriptor = openSync(this.#file, 'a', 0o600);
    this.#size = statSync(this.#file).size;
  }

  get file() {
    return this.#file;
  }

  /** To be called when the program starts: what an earlier run said is not among the last words of this one. */
  begin() {
    this.#last = [];
    this.#hasShown = false;
  }

  /** Whether the terminal has had a line of this run. */
  get hasShown() {
    return this.#hasShown;
  }

  /** The last lines of this run, readable. */
  get lastLines() {
    return this.#last.map((line) => readable(line).text);
  }

  /**
   * @param {'stdout' | 'stderr'} stream
   * @param {string} text part of the stream; lines may be cut anywhere
   */
  take(stream, text) {
    const lines = (this.#pending[stream] + text).split('\n');
    this.#pending[stream] = lines.pop() ?? '';
    for (const line of lines) this.#line(stream, line);
  }

  /** Writes what came without an end of line. */
  flush() {
    for (const stream of /** @type {const} */ (['stdout', 'stderr'])) {
      if (this.#pending[stream] !== '') this.take(stream, '\n');
    }
  }

  close() {
    this.flush();
    closeSync(this.#descriptor);
  }

  /**
   * @param {'stdout' | 'stderr'} stream
   * @param {string} line
   */
  #line(stream, line) {
    if (line.trim() === '') return;
    if (this.#size > ROTATE_BYTES) this.#rotate();
    this.#size += writeSync(this.#descriptor, `${line}\n`);
    this.#last = [...this.#last.slice(1 - KEPT_LINES), line];
    const { level, text } = readable(line);
    if (level === null ? stream !== 'stderr' || !this.#isNew(line) : level < WARN) return;
    this.#hasShown = true;
    this.#say(`${this.#name}: ${text}`);
  }

  /** @param {string} line */
  #isNew(line) {
    if (this.#shown.has(line)) return false;
    if (this.#shown.size >= REMEMBERED_LINES) this.#shown.clear();
    this.#shown.add(line);
    return true;
  }

  /** One older file is kept. */
  #rotate() {
    closeSync(this.#descriptor);
    renameSync(this.#file, `${this.#file}.1`);
    this.#descriptor = openSync(this.#file, 'a', 0o600);
    this.#size = 0;
  }
}

/**
 * What a person reads of a line: pino's level and message, with the error's own words where there is one.
 * @param {string} line
 * @returns {{ level: number | null, text: string }}
 */
function readable(line) {
  const entry = parseObject(line);
  if (entry === null || typeof entry['level'] !== 'number') return { level: null, text: line };
  const level = entry['level'];
  const word = level >= ERROR ? 'error' : level >= WARN ? 'warning' : 'info';
  const error = asObject(entry['err'] ?? entry['error']);
  const message = typeof entry['msg'] === 'string' ? entry['msg'] : '';
  const detail = typeof error?.['message'] === 'string' && !message.includes(error['message']) ? ` (${error['message']})` : '';
  return { level, text: `${word}: ${message}${detail}` };
}

/** @param {string} line */
function parseObject(line) {
  if (!line.startsWith('{')) return null;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return null;
  }
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown> | null}
 */
function asObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? /** @type {Record<string, unknown>} */ (value) : null;
}
