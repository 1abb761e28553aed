import { readFile } from 'node:fs/promises';

/** Wide forms of Latin letters, figures and signs; the marks ，！？：；（）～ are Chinese ones of their own. */
const WIDE = /[\uff02-\uff07\uff0a\uff0b\uff0d-\uff19\uff1c-\uff1e\uff20-\uff5d]/u;
/** Letters of an alphabet of which a dictionary has only a few, which so can only be taken for Latin ones and figures. */
const STRAY: Readonly<Record<string, string>> = { З: '3', Ο: 'O', Α: 'A' };
const WHOLE_ALPHABETS = ['ж', 'Ж', 'Ψ', 'ψ'];

/** Characters that look alike as one character: letters set apart come out as wide forms, which no reader means. */
function fold(character: string, strays: boolean): string {
  if (WIDE.test(character)) return String.fromCharCode(character.charCodeAt(0) - 0xfee0);
  return (strays ? STRAY[character] : undefined) ?? character;
}

/** The recogniser's classes as characters; class 0 is the CTC blank and has none. */
export async function loadDictionary(path: string): Promise<readonly string[]> {
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const strays = !WHOLE_ALPHABETS.some((letter) => lines.includes(letter));
  return ['', ...lines.map((line) => fold(line, strays)), ' '];
}
