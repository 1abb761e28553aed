import { Fragment, type ReactNode } from 'react';

const MARKS = /(\*\*[^*]+\*\*|`[^`]+`)/;

/** A message with its **strong** words and `code` drawn. */
export function Rich({ text }: { text: string }): ReactNode {
  return text.split(MARKS).map((part, index) => {
    // The parts of one sentence never change their order, so their place is their key.
    const key = `${index}`;
    if (part.startsWith('**')) return <strong key={key}>{part.slice(2, -2)}</strong>;
    if (part.startsWith('`')) {
      return (
        <code key={key} className="type-code">
          {part.slice(1, -1)}
        </code>
      );
    }
    return <Fragment key={key}>{part}</Fragment>;
  });
}
