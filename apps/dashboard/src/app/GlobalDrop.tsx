import { type ReactNode, useEffect, useState } from 'react';
import { formatCount, useMessages } from '../i18n/index.ts';
import { currentDropTarget } from '../registry/index.ts';
import './drop.css';
import { frame } from './messages.ts';

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

/** How many files hang over the page; null while none do. */
function useDraggedFiles(): number | null {
  const [count, setCount] = useState<number | null>(null);
  useEffect(() => {
    // Enter and leave come for every element passed over; the page is left when they balance.
    let depth = 0;
    const end = (): void => {
      depth = 0;
      setCount(null);
    };
    const enter = (event: DragEvent): void => {
      if (!carriesFiles(event) || currentDropTarget() === null) return;
      depth += 1;
      setCount(event.dataTransfer?.items.length ?? 0);
    };
    const leave = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      depth -= 1;
      if (depth <= 0) end();
    };
    const over = (event: DragEvent): void => {
      // Without this a missed drop would make the browser leave for the file.
      if (carriesFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      const handled = event.defaultPrevented;
      event.preventDefault();
      end();
      if (!handled && event.dataTransfer !== null) currentDropTarget()?.accept(event.dataTransfer);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, []);
  return count;
}

/** The whole page takes files: a frame and a wash while they hang over it, and on drop the upload feature gets them. */
export function GlobalDrop(): ReactNode {
  const messages = useMessages(frame);
  const count = useDraggedFiles();
  if (count === null) return null;
  const sentence = count === 0 ? messages.dropAny : count === 1 ? messages.dropOne : messages.drop(formatCount(count));
  return (
    <div className="global-drop" aria-hidden="true">
      <p className="type-empty">{sentence}</p>
    </div>
  );
}
