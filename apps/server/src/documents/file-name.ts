const LONGEST = 255;

/** A file's name as text: the last part of a path, no control characters, no direction marks that could disguise its ending, of bounded length. It is never a path. */
export function shownFileName(name: string): string {
  const clean = lastPart(name)
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
    .normalize('NFC');
  const characters = Array.from(clean);
  if (characters.length === 0) return 'unnamed';
  return characters.length <= LONGEST ? clean : `${characters.slice(0, LONGEST - 21).join('')}…${characters.slice(-20).join('')}`;
}

/** Some clients send a path; `..` and `/` alone have no last part, and are shown as they came. */
function lastPart(name: string): string {
  return (
    name
      .split(/[\\/]/)
      .filter((part) => part.trim() !== '' && part !== '.' && part !== '..')
      .at(-1) ?? name
  );
}
