import { type ReactNode, useEffect } from 'react';
import { createPortal } from 'react-dom';
import { createRegistry, useRegistry } from './listed.ts';

/** Pages that fill the window and put their own head into the top bar, as the reader does. */
const desks = createRegistry<object>();
const slots = createRegistry<HTMLElement>();

/** Whether such a page is shown: the side bar is then a rail, and the page has no margins. */
export function useIsDesk(): boolean {
  return useRegistry(desks).length > 0;
}

/** One function for good: a new one each time would take the slot away and give it back, and the head in it would be drawn anew. */
const offerSlot = (element: HTMLElement | null): (() => void) | undefined => (element === null ? undefined : slots.add(element));

/** For the top bar: where the page's own head goes. */
export function DeskSlot(): ReactNode {
  return <div className="top-bar-desk" ref={offerSlot} />;
}

/** Makes the page that holds it fill the window, and draws its head in the top bar. */
export function DeskHead({ children }: { children: ReactNode }): ReactNode {
  const slot = useRegistry(slots).at(-1);
  useEffect(() => desks.add({}), []);
  return slot === undefined ? null : createPortal(children, slot);
}
