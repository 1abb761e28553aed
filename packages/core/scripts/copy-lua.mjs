// The Lua scripts stand beside their TypeScript declarations; the built package needs them at the same place.
import { cpSync, rmSync } from 'node:fs';

const from = new URL('../src/scripts/', import.meta.url);
const to = new URL('../dist/scripts/', import.meta.url);
for (const folder of ['fragments/', 'plain/']) rmSync(new URL(folder, to), { recursive: true, force: true });
cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.ts') });
