import { createRegistry } from './listed.ts';

/** What takes files that a person drops anywhere on the page. */
export interface DropTarget {
  /** Called with the drop's own data, synchronously, so that folders can still be read from it. */
  readonly accept: (data: DataTransfer) => void;
}

const dropTargets = createRegistry<DropTarget>();

/** The upload feature's register.ts calls this once. */
export function registerDropTarget(target: DropTarget): () => void {
  return dropTargets.add(target);
}

/** The newest target; null where no feature takes files, and then the page does not pretend to. */
export function currentDropTarget(): DropTarget | null {
  return dropTargets.all().at(-1) ?? null;
}
