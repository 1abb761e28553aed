export {
  COMMAND_GROUPS,
  type Command,
  type CommandGroup,
  type CommandProvider,
  commandProviders,
  registerCommands,
  useCommands,
} from './commands.ts';
export { DeskHead, DeskSlot, useIsDesk } from './desk.tsx';
export { currentDropTarget, type DropTarget, registerDropTarget } from './dropTarget.ts';
export { chooseFiles, registerFilePicker } from './filePicker.ts';
export { isSingleKey, type KeyBinding, keyBindings, matchStroke, nameOfStroke, useKeys } from './keys.ts';
export { useRegistry } from './listed.ts';
