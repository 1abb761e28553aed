import type { Command } from '../registry/index.ts';

export interface Part {
  readonly text: string;
  readonly matched: boolean;
}

/** A label cut where the query stands in it, so that the match can be set bold. The first match, whatever its case. */
export function matchedParts(label: string, query: string): readonly Part[] {
  const wanted = query.trim().toLocaleLowerCase();
  const at = wanted === '' ? -1 : label.toLocaleLowerCase().indexOf(wanted);
  if (at < 0) return [{ text: label, matched: false }];
  return [
    { text: label.slice(0, at), matched: false },
    { text: label.slice(at, at + wanted.length), matched: true },
    { text: label.slice(at + wanted.length), matched: false },
  ].filter((part) => part.text !== '');
}

/** 0 where it is not found; higher is better: at the start, at a word's start, inside, by a keyword. */
export function rank(command: Pick<Command, 'label' | 'keywords'>, query: string): number {
  const wanted = query.trim().toLocaleLowerCase();
  if (wanted === '') return 1;
  const label = command.label.toLocaleLowerCase();
  if (label.startsWith(wanted)) return 4;
  if (label.split(/[\s/_.:-]+/).some((word) => word.startsWith(wanted))) return 3;
  if (label.includes(wanted)) return 2;
  return (command.keywords ?? []).some((word) => word.toLocaleLowerCase().startsWith(wanted)) ? 1 : 0;
}

/** The commands that a query finds, best first; equals keep their order. Viewers see no admin action. */
export function foundCommands(commands: readonly Command[], query: string, admin: boolean): readonly Command[] {
  return commands
    .filter((command) => admin || command.adminOnly !== true)
    .map((command) => ({ command, rank: rank(command, query) }))
    .filter((found) => found.rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .map((found) => found.command);
}
