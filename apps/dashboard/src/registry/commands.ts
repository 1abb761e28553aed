import type { ReactNode } from 'react';
import type { Language } from '../i18n/language.ts';
import { createRegistry, useRegistered } from './listed.ts';

export const COMMAND_GROUPS = ['actions', 'goto', 'tasks'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** One line of the command palette. */
export interface Command {
  /** Unique in the page. */
  readonly id: string;
  readonly group: CommandGroup;
  /** In the page's language; an action that asks first ends in an ellipsis. */
  readonly label: string;
  /** At the right end, such as "37 tasks". */
  readonly hint?: string | undefined;
  readonly icon?: ReactNode;
  /** Other words that find it. */
  readonly keywords?: readonly string[];
  /** It opens a dialog that confirms; the palette says "asks first". */
  readonly asksFirst?: boolean;
  /** Viewers and users do not see it. */
  readonly adminOnly?: boolean;
  /** Where it only goes to a page: lets Ctrl Enter open a new tab. A path of routing/paths.ts. */
  readonly to?: string;
  readonly run?: () => void;
}

export type CommandProvider = (language: Language) => readonly Command[];

/** Asked each time the palette opens. */
export const commandProviders = createRegistry<CommandProvider>();

/** For a feature's register.ts: commands that are there from the page's first second on. */
export function registerCommands(provider: CommandProvider): () => void {
  return commandProviders.add(provider);
}

/** For a component: commands that are there as long as it is. */
export function useCommands(commands: readonly Command[]): void {
  useRegistered(commandProviders, commands, (newest) => () => newest());
}
