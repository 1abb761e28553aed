import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LIVE_NAMESPACE, ROLES, ROUTES, type Role, type RouteName, routePath, submitDocumentsSchema } from '@galley/contract';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pngBytes, TestServer } from '../testing/start.ts';

const TOKENS: Record<Role | 'other', string> = { viewer: 'token-viewer', user: 'token-user', admin: 'token-admin', other: 'token-other' };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const COLUMNS = ['nobody', ...ROLES] as const;

/** The two tables of docs/security.md: what stands in each column, by the first cell. */
async function tables(): Promise<Map<string, Record<(typeof COLUMNS)[number], string>>> {
  const text = await readFile(new URL('../../../../docs/security.md', import.meta.url), 'utf8');
  const rows = text.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, what = '', nobody = '', viewer = '', user = '', admin = ''] = cells;
    return cells.length === 7 && /^(no|yes|own)$/.test(nobody) ? [[what, { nobody, viewer, user, admin }] as const] : [];
  });
  return new Map(rows);
}

let galley: TestServer;
let directory: string;
let documented: Awaited<ReturnType<typeof tables>>;
beforeAll(async () => {
  documented = await tables();
  directory = await mkdtemp('/tmp/galley-roles-');
  const file = path.join(directory, 'tokens');
  const line = (name: keyof typeof TOKENS, role: Role): string => `${sha256(TOKENS[name])} the-${name} ${role}`;
  await writeFile(file, [line('viewer', 'viewer'), line('user', 'user'), line('admin', 'admin'), line('other', 'user')].join('\n'));
  galley = await TestServer.start({ GALLEY_TOKENS_FILE: file });
});
afterAll(async () => {
  await galley.stop();
  await rm(directory, { recursive: true });
});

const bearer = (who: keyof typeof TOKENS | 'nobody'): Record<string, string> =>
  who === 'nobody' ? {} : { authorization: `Bearer ${TOKENS[who]}` };

async function documentOf(who: keyof typeof TOKENS, mark: string): Promise<string> {
  galley.token = TOKENS[who];
  const answer = await galley.upload([{ name: `${mark}.png`, bytes: pngBytes(mark) }]);
  galley.token = null;
  return submitDocumentsSchema.parse(answer.body).documents[0]?.task_id ?? '';
}

const names = Object.keys(ROUTES) as RouteName[];
const rowOf = (name: RouteName) => documented.get(`\`${ROUTES[name].method} ${ROUTES[name].path}\``);

describe('the table of roles in docs/security.md', () => {
  test('has a row for each route and for nothing else', () => {
    const rows = [...documented.keys()].filter((what) => /^`[A-Z]+ \//.test(what));
    expect(rows.sort()).toEqual(names.map((name) => `\`${ROUTES[name].method} ${ROUTES[name].path}\``).sort());
  });

  test.each(names)('is what %s does', async (name) => {
    const { method } = ROUTES[name];
    const body = method === 'POST' ? {} : undefined;
    const row = rowOf(name);
    const foreign = await documentOf('other', `foreign to ${name}`);
    for (const who of COLUMNS) {
      const { status } = await galley.call(method, routePath(name, { id: foreign, n: 1 }), body, bearer(who));
      const cell = row?.[who];
      if (cell === 'no') expect(status, who).toBe(who === 'nobody' ? 401 : 403);
      else if (cell === 'own' && ROUTES[name].path.includes(':id'))
        expect([who, status]).toEqual([who, name === 'reprioritizeTask' ? 400 : 404]);
      else expect([401, 403], `${who}: ${status}`).not.toContain(name === 'openSession' && status === 400 ? 400 : status);
    }
    const { status } = await galley.call(method, routePath(name, { id: foreign, n: 1 }), body, { authorization: 'Bearer nobodys' });
    expect(status === 401, `a wrong token: ${status}`).toBe(row?.nobody === 'no');
  });

  test("own means that what is of others is not there, and what is one's own is", async () => {
    const own = await documentOf('user', 'own');
    const foreign = await documentOf('other', 'foreign');
    const reads = names.filter((name) => rowOf(name)?.user === 'own' && ROUTES[name].method === 'GET');
    expect(reads).toContain('getTask');
    for (const name of reads) {
      const answer = await galley.call('GET', routePath(name, { id: own, n: 1 }), undefined, bearer('user'));
      const text = JSON.stringify(answer.body);
      expect(text, name).not.toContain(foreign);
      // A page that has not been read yet is the one thing that is not there of one's own.
      if (answer.status === 404) expect(text, name).toContain('page_not_found');
    }
    const change = (who: 'user' | 'other') => galley.call('POST', `/api/v1/tasks/${own}/priority`, { priority: 50 }, bearer(who));
    expect([(await change('other')).status, (await change('user')).status]).toEqual([404, 200]);
  });

  test('the socket does as its rows say', async () => {
    const foreign = await documentOf('other', 'watched by others');
    const connect = documented.get('connect, `snapshot`, `dead_letters`, `follow`');
    const watch = documented.get('`watch`, `task`');
    const operation = documented.get('`operation`');
    const sockets = new Map<string, Socket>();
    const told = new Set<string>();
    for (const who of COLUMNS) {
      const auth = who === 'nobody' ? {} : { token: TOKENS[who] };
      const socket = io(galley.base + LIVE_NAMESPACE, { transports: ['websocket'], reconnection: false, forceNew: true, auth });
      const came = await new Promise<string>((resolve) => {
        socket.once('snapshot', () => resolve('yes'));
        socket.once('connect_error', () => resolve('no'));
      });
      expect([who, came]).toEqual([who, connect?.[who]]);
      if (came === 'no') continue;
      sockets.set(who, socket);
      socket.on('operation', () => told.add(who));
      const reply: unknown = await socket.emitWithAck('watch', { task_id: foreign });
      expect(reply, who).toMatchObject(watch?.[who] === 'own' ? { ok: false, problem: { code: 'task_not_found' } } : { ok: true });
    }
    const done = new Promise((resolve) => sockets.get('admin')?.once('operation', resolve));
    await galley.call('POST', '/api/v1/dead-letters/retry', { all: true }, bearer('admin'));
    await done;
    // What was sent to the others before this answer would have come by now: one connection keeps its order.
    for (const socket of sockets.values()) await socket.emitWithAck('unwatch', { task_id: foreign });
    for (const who of ROLES) expect([who, told.has(who)]).toEqual([who, operation?.[who] === 'yes']);
    for (const socket of sockets.values()) socket.disconnect();
  });
});
