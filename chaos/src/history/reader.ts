import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type HistoryEvent, historyEventSchema } from './events.ts';

/** The whole history in a folder by time, or that of one process with all its incarnations. */
export async function readHistory(directory: string, process = ''): Promise<HistoryEvent[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.jsonl') && (process === '' || name.startsWith(`${process}.`)));
  const texts = await Promise.all(files.map((name) => readFile(path.join(directory, name), 'utf8')));
  return texts.flatMap(parseHistory).sort((a, b) => a.at - b.at);
}

/** A last line without its end was cut off by the death of its writer, who then had not acted on it: it is left out. */
export function parseHistory(text: string): HistoryEvent[] {
  const lines = text.split('\n');
  return lines.slice(0, -1).map((line) => historyEventSchema.parse(JSON.parse(line)));
}
