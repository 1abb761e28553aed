import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * Lua scripts with named keys and arguments (STYLE 10). A script's header says its KEYS, ARGV, ROWS, FLAGS and INCLUDE;
 * its TypeScript declaration says the same, and the loader refuses a pair that differs. The loader writes the prologue that
 * gives each key and argument its name, puts the shared fragments in, and adds the `#!lua` line, under which Redis refuses
 * keys of another slot. A header with PLAIN has a quick path, `plain/<name>.lua`, which comes first with the fragments named
 * there: where it answers, the functions of all others are never made.
 */
export type ArgumentKind = 'number' | 'string';

export interface ScriptDeclaration<Key extends string, Argument extends string, Row extends string> {
  readonly name: string;
  readonly keys: readonly Key[];
  readonly arguments: Readonly<Record<Argument, ArgumentKind>>;
  readonly rows: readonly Row[];
}

export interface Script<Key extends string = string, Argument extends string = string, Row extends string = string> {
  readonly name: string;
  readonly keys: readonly Key[];
  readonly argumentNames: readonly Argument[];
  readonly rows: readonly Row[];
  readonly source: string;
  readonly sha: string;
}

export type ScriptValue = string | number;

const SCRIPTS = new URL('../scripts/', import.meta.url);

function read(file: string): string {
  return readFileSync(new URL(file, SCRIPTS), 'utf8');
}

/** `-- KEYS: a b` → ['a', 'b']. */
function headerWords(source: string, field: string): string[] {
  const match = new RegExp(`^-- ${field}:[ \\t]*(.*)$`, 'm').exec(source);
  return match?.[1]?.trim().split(/\s+/).filter(Boolean) ?? [];
}

function sameWords(script: string, field: string, header: readonly string[], declared: readonly string[]): void {
  if (header.join(' ') !== declared.join(' ')) {
    throw new Error(`${script}.lua says ${field} "${header.join(' ')}" and its declaration says "${declared.join(' ')}": make them agree`);
  }
}

function prologue(declaration: ScriptDeclaration<string, string, string>): string {
  const lines: string[] = [];
  declaration.keys.forEach((key, index) => lines.push(`local ${key} = KEYS[${index + 1}]`));
  const names = Object.entries(declaration.arguments);
  names.forEach(([name, kind], index) => {
    lines.push(kind === 'number' ? `local ${name} = tonumber(ARGV[${index + 1}])` : `local ${name} = ARGV[${index + 1}]`);
  });
  lines.push(`local ROWS_FROM, ROW_WIDTH = ${names.length + 1}, ${declaration.rows.length}`);
  declaration.rows.forEach((row, index) => lines.push(`local row_${row} = ${index}`));
  return lines.join('\n');
}

export function defineScript<const Key extends string, const Argument extends string, const Row extends string = never>(
  declaration: ScriptDeclaration<Key, Argument, Row>,
): Script<Key, Argument, Row> {
  const body = read(`${declaration.name}.lua`);
  const argumentNames = Object.keys(declaration.arguments) as Argument[];
  sameWords(declaration.name, 'KEYS', headerWords(body, 'KEYS'), declaration.keys);
  sameWords(declaration.name, 'ARGV', headerWords(body, 'ARGV'), argumentNames);
  sameWords(declaration.name, 'ROWS', headerWords(body, 'ROWS'), declaration.rows);
  const flags = headerWords(body, 'FLAGS');
  const fragments = (field: string): string[] => headerWords(body, field).map((fragment) => read(`fragments/${fragment}.lua`));
  const plain = fragments('PLAIN');
  const hasPlain = /^-- PLAIN:/m.test(body);
  const source = [
    flags.length > 0 ? `#!lua flags=${flags.join(',')}` : '#!lua',
    prologue(declaration),
    ...plain,
    ...(hasPlain ? [read(`plain/${declaration.name}.lua`)] : []),
    ...fragments('INCLUDE'),
    body,
  ].join('\n');
  return {
    name: declaration.name,
    keys: declaration.keys,
    argumentNames,
    rows: declaration.rows,
    source,
    sha: createHash('sha1').update(source).digest('hex'),
  };
}

/** Keys, arguments and rows in the order that the script's prologue reads them. */
export function scriptParameters<Key extends string, Argument extends string, Row extends string>(
  script: Script<Key, Argument, Row>,
  keys: Readonly<Record<Key, string>>,
  values: Readonly<Record<Argument, ScriptValue>>,
  rows: readonly Readonly<Record<Row, ScriptValue>>[] = [],
): { keys: string[]; values: ScriptValue[] } {
  const flat: ScriptValue[] = script.argumentNames.map((name) => values[name]);
  for (const row of rows) for (const name of script.rows) flat.push(row[name]);
  return { keys: script.keys.map((key) => keys[key]), values: flat };
}
