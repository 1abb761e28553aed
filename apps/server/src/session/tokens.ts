import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GalleyError, PRIORITY_MIN, prioritySchema, ROLES, sha256Schema, userIdSchema } from '@galley/contract';
import * as z from 'zod/mini';
import { faultsOf } from '../http/exchange.ts';
import type { Principal } from './principal.ts';

const entrySchema = z.strictObject({
  /** SHA-256 of the token, hex; the token itself is stored nowhere. */
  sha256: sha256Schema,
  user: userIdSchema,
  role: z.enum(ROLES),
  best_priority: z._default(prioritySchema, PRIORITY_MIN),
});

interface Entry {
  readonly hash: Buffer;
  readonly principal: Principal;
}

/** `<sha256> <user> <role> [best priority]`, one a line; `#` begins a comment. */
function entryOfLine(line: string): unknown {
  const [sha256, user, role, best] = line.trim().split(/\s+/);
  return { sha256, user, role, ...(best === undefined ? {} : { best_priority: Number(best) }) };
}

function rawEntries(text: string): unknown[] {
  if (text.trimStart().startsWith('[')) {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  }
  return text
    .split('\n')
    .map((line) => line.replace(/#.*$/, ''))
    .filter((line) => line.trim() !== '')
    .map(entryOfLine);
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The tokens that may call this server. */
export class Tokens {
  private readonly entries: readonly Entry[];

  private constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }

  /** @throws GalleyError `invalid_request` with a sentence that says which entry is at fault and what one looks like */
  static async read(file: string): Promise<Tokens> {
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new GalleyError(
        'invalid_request',
        `GALLEY_TOKENS_FILE is ${file}, which cannot be read. Make the file readable, or unset the setting.`,
        { cause },
      );
    });
    return Tokens.parse(text, file);
  }

  static parse(text: string, file: string): Tokens {
    const form =
      'An entry is "<sha256 of the token, hex> <user> <viewer|user|admin> [best priority]" on a line, or the same as JSON objects in a list.';
    let raw: unknown[];
    try {
      raw = rawEntries(text);
    } catch (cause) {
      throw new GalleyError('invalid_request', `${file} is not valid JSON. ${form}`, { cause });
    }
    const entries = raw.map((value, index): Entry => {
      const parsed = entrySchema.safeParse(value);
      if (!parsed.success)
        throw new GalleyError('invalid_request', `${file}, entry ${index + 1}: ${faultsOf(parsed.error.issues)}. ${form}`);
      const { sha256, user, role, best_priority: bestPriority } = parsed.data;
      return { hash: Buffer.from(sha256, 'hex'), principal: { role, userId: user, authenticated: true, bestPriority } };
    });
    if (entries.length === 0) throw new GalleyError('invalid_request', `${file} holds no token. ${form}`);
    return new Tokens(entries);
  }

  static merge(sources: readonly Tokens[]): Tokens {
    return new Tokens(sources.flatMap((source) => source.entries));
  }

  get count(): number {
    return this.entries.length;
  }

  /** Whose token this is; null where it is nobody's. Takes the same time whichever entry matches. */
  find(hash: Buffer): Principal | null {
    let found: Principal | null = null;
    for (const entry of this.entries) if (timingSafeEqual(entry.hash, hash)) found = entry.principal;
    return found;
  }
}
