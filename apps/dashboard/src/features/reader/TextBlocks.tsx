import type { Block, Line, PageResult } from '@galley/contract';
import { type HTMLAttributes, type ReactNode, useMemo } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { cx, Rich, Tooltip } from '../../ui/index.ts';
import { reader } from './messages.ts';
import {
  blockKey,
  DOUBTFUL_UNDER,
  flows,
  joint,
  languageOf,
  lineKey,
  numberColumns,
  rowKey,
  rowOfLine,
  type TargetKey,
} from './page.model.ts';
import { cutAt } from './search.model.ts';
import { hover, pin, useIsLit, useView } from './view.ts';

/** What links an element of the text to its box: hover and click light both. */
function useLink(key: TargetKey): HTMLAttributes<HTMLElement> & { 'data-key': TargetKey } {
  const lit = useIsLit(key);
  return {
    'data-key': key,
    className: cx('linked', lit && 'is-lit'),
    onPointerEnter: () => hover(key),
    onPointerLeave: () => hover(null),
    onClick: () => {
      // Selecting text ends in a click too, and is not meant as one.
      if (window.getSelection()?.isCollapsed !== false) pin(key, 'text');
    },
  };
}

function Found({ text }: { text: string }): ReactNode {
  const query = useView((view) => view.query);
  if (query.trim() === '') return text;
  return cutAt(text, query).map(({ text: piece, hit, at }) => (hit ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>));
}

function Doubt({ line, where, children }: { line: Line; where: string; children: ReactNode }): ReactNode {
  const messages = useMessages(reader);
  if (line.confidence >= DOUBTFUL_UNDER) return children;
  const hint = (
    <>
      <Rich text={messages.doubt(line.confidence.toFixed(2))} />
      {where}
    </>
  );
  return (
    <Tooltip text={hint}>
      <span className="doubt">{children}</span>
    </Tooltip>
  );
}

function TextLine({ block, line, index, flowing }: { block: Block; line: Line; index: number; flowing: boolean }): ReactNode {
  const messages = useMessages(reader);
  const link = useLink(lineKey(block.id, index + 1));
  const next = block.lines[index + 1];
  const hyphen = flowing && next !== undefined && /\p{L}-$/u.test(line.text) && /^\p{Ll}/u.test(next.text);
  const text = hyphen ? line.text.slice(0, -1) : line.text;
  return (
    <>
      <span {...link}>
        <Doubt line={line} where={messages.doubtWhere(String(block.id), String(index + 1))}>
          <Found text={text} />
        </Doubt>
      </span>
      {next !== undefined && (flowing ? joint(line.text, next.text) : <br />)}
    </>
  );
}

function TextBlock({ block }: { block: Block }): ReactNode {
  const link = useLink(blockKey(block.id));
  const flowing = useMemo(() => flows(block), [block]);
  const text =
    block.lines.length === 0 ? (
      <span {...link} style={{ whiteSpace: 'pre-wrap' }}>
        <Found text={block.text} />
      </span>
    ) : (
      block.lines.map((line, index) => (
        <TextLine key={lineKey(block.id, index + 1)} block={block} line={line} index={index} flowing={flowing} />
      ))
    );
  const lang = languageOf(block.text);
  if (block.type === 'title')
    return (
      <h2 className="text-title" lang={lang} data-key={blockKey(block.id)}>
        {text}
      </h2>
    );
  return (
    <p className={`text-block text-block--${block.type}`} lang={lang} data-key={blockKey(block.id)}>
      {text}
    </p>
  );
}

function TableRow({
  block,
  row,
  index,
  numbers,
  doubtful,
}: {
  block: Block;
  row: readonly string[];
  index: number;
  numbers: ReadonlySet<number>;
  doubtful: Line | undefined;
}): ReactNode {
  const messages = useMessages(reader);
  const link = useLink(rowKey(block.id, index + 1));
  const Cell = index === 0 ? 'th' : 'td';
  return (
    <tr {...link}>
      {row.map((cell, column) => (
        // A cell has no other name than its place.
        <Cell key={`${column + 1}`} className={numbers.has(column) ? 'is-number' : undefined} {...(index === 0 ? { scope: 'col' } : {})}>
          {doubtful !== undefined && doubtful.text.includes(cell) && cell !== '' ? (
            <Doubt line={doubtful} where={messages.doubtWhere(String(block.id), String(index + 1))}>
              <Found text={cell} />
            </Doubt>
          ) : (
            <Found text={cell} />
          )}
        </Cell>
      ))}
    </tr>
  );
}

function TableBlock({ block, rows }: { block: Block; rows: readonly (readonly string[])[] }): ReactNode {
  const numbers = useMemo(() => numberColumns(rows), [rows]);
  const doubtful = useMemo(() => {
    const lines = block.lines.filter((line) => line.confidence < DOUBTFUL_UNDER);
    return new Map(lines.map((line) => [rowOfLine(block, line), line]));
  }, [block]);
  return (
    <div className="text-table" data-key={blockKey(block.id)}>
      <table lang={languageOf(block.text)}>
        <tbody>
          {rows.map((row, index) => (
            <TableRow
              key={rowKey(block.id, index + 1)}
              block={block}
              row={row}
              index={index}
              numbers={numbers}
              doubtful={doubtful.get(rowKey(block.id, index + 1))}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The text of a page in reading order, in reading type: paragraphs set anew, tables as tables, doubtful lines marked. */
export function TextBlocks({ page }: { page: PageResult }): ReactNode {
  return (
    <div className="text-blocks type-reading">
      {page.blocks.map((block) =>
        block.rows !== undefined && block.rows.length > 0 ? (
          <TableBlock key={block.id} block={block} rows={block.rows} />
        ) : (
          <TextBlock key={block.id} block={block} />
        ),
      )}
    </div>
  );
}
