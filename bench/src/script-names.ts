import { readdir } from 'node:fs/promises';

let known: Promise<ReadonlyMap<string, string>> | null = null;

/** SHA-1 → name of Galley's scripts, which core does not export: read from beside its entry point. */
export function scriptNames(): Promise<ReadonlyMap<string, string>> {
  return (known ??= load());
}

async function load(): Promise<ReadonlyMap<string, string>> {
  const folder = new URL('./scripts/', import.meta.resolve('@galley/core'));
  const names = new Map<string, string>();
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.js') || file.endsWith('.test.js')) continue;
    const module: Record<string, unknown> = (await import(new URL(file, folder).href)) as Record<string, unknown>;
    for (const value of Object.values(module)) {
      if (typeof value === 'object' && value !== null && 'sha' in value && 'name' in value)
        names.set(String(value.sha), String(value.name));
    }
  }
  return names;
}
