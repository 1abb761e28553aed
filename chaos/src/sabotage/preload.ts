import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { alter, isSabotage, SABOTAGES } from './sabotages.ts';

/**
 * Loaded before a process of a sabotaged run (`node --import`, the sabotage's name in the query): the scripts that it reads
 * afterwards are altered on their way from the disk. The files stay as they are.
 */
const name = new URL(import.meta.url).searchParams.get('sabotage') ?? '';
if (!isSabotage(name)) throw new Error(`there is no sabotage named "${name}"`);

const read = fs.readFileSync;
function readAltered(...parameters: Parameters<typeof fs.readFileSync>): string | Buffer {
  const content = read(...parameters);
  const script = /\/scripts\/(.+\.lua)$/.exec(String(parameters[0]))?.[1];
  return script === undefined || typeof content !== 'string' || !isSabotage(name) ? content : alter(script, content, SABOTAGES[name]);
}
Object.assign(fs, { readFileSync: readAltered });
syncBuiltinESMExports();
