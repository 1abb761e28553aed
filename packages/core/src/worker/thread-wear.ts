import { getHeapStatistics } from 'node:v8';

/** When a thread is ended and replaced by a fresh one, between two tasks. Left out: never. */
export interface RecycleLimits {
  /** After so many tasks. */
  readonly tasks?: number;
  /** When its own memory (JavaScript heap and buffers) has grown by so many megabytes since its first task. */
  readonly growthMb?: number;
}

const MEGABYTE = 1024 * 1024;

/** Bytes of memory that belong to this thread alone. */
function ownMemory(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

/** Counts what a thread has done since it began. */
export class ThreadWear {
  private readonly limits: RecycleLimits;
  private readonly memory: () => number;
  private tasks = 0;
  private memoryAtFirst = 0;

  constructor(limits: RecycleLimits, memory: () => number = ownMemory) {
    this.limits = limits;
    this.memory = memory;
  }

  /** To be called after each task: whether the thread has done its share. */
  isWornOut(): boolean {
    const { tasks, growthMb } = this.limits;
    this.tasks++;
    if (tasks !== undefined && this.tasks >= tasks) return true;
    if (growthMb === undefined) return false;
    // What its first task loaded and keeps is no growth.
    if (this.tasks === 1) this.memoryAtFirst = this.memory();
    return this.memory() - this.memoryAtFirst > growthMb * MEGABYTE;
  }
}
