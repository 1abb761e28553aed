import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LIVE_NAMESPACE } from '@galley/contract';
import { pino } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TestServer } from '../testing/start.ts';
import { TokenSource } from './token-source.ts';
import { hashToken } from './tokens.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const silent = pino({ level: 'silent' });
let directory: string;
let file: string;
beforeAll(async () => {
  directory = await mkdtemp('/tmp/galley-token-source-');
  file = path.join(directory, 'tokens');
});
afterAll(() => rm(directory, { recursive: true }));

/** As an editor and a mounted secret do it: the new file takes the name of the old. */
async function replace(lines: readonly string[]): Promise<void> {
  await writeFile(`${file}.new`, lines.join('\n'));
  await rename(`${file}.new`, file);
}

test('a changed file counts without a restart: for requests, browser sessions and live connections', async () => {
  await replace([`${sha256('first')} ada user`, `${sha256('stays')} root admin`]);
  const galley = await TestServer.start({ GALLEY_TOKENS_FILE: file });
  const who = async (headers: Record<string, string>) => (await galley.call('GET', '/api/v1/session', undefined, headers)).status;
  const cookie = (await galley.call('POST', '/api/v1/session', { token: 'first' })).headers.get('set-cookie')?.split(';')[0] ?? '';
  expect([await who({ authorization: 'Bearer first' }), await who({ cookie })]).toEqual([200, 200]);
  const connect = async (token: string): Promise<Socket> => {
    const options = { transports: ['websocket'], reconnection: false, forceNew: true, auth: { token } };
    const socket = io(galley.base + LIVE_NAMESPACE, options);
    await new Promise((resolve) => socket.once('snapshot', resolve));
    return socket;
  };
  const [first, stays] = [await connect('first'), await connect('stays')];
  const cut = new Promise((resolve) => first.once('disconnect', resolve));

  await replace([`${sha256('second')} ada user`, `${sha256('stays')} root admin`]);
  await cut;
  expect([await who({ authorization: 'Bearer first' }), await who({ cookie })]).toEqual([401, 401]);
  expect([await who({ authorization: 'Bearer second' }), await who({ authorization: 'Bearer stays' })]).toEqual([200, 200]);
  expect(stays.connected).toBe(true);
  stays.disconnect();
  await galley.stop();
});

test('a file that cannot be understood, or is gone, changes nothing', async () => {
  await replace([`${sha256('good')} ada user`]);
  const source = await TokenSource.open({ tokens: undefined, tokensFile: file }, silent, 20);
  const error = vi.spyOn(silent, 'error');
  source.start();
  await replace(['nonsense']);
  await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1));
  await rm(file);
  await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(2));
  expect(source.current?.find(hashToken('good'))).toMatchObject({ userId: 'ada' });
  await source.stop();
});

test('tokens come from the environment, too, beside those of the file', async () => {
  await replace([`${sha256('of the file')} fay viewer`]);
  const tokens = `${sha256('one')} ada user 10, ${sha256('two')} root admin`;
  const source = await TokenSource.open({ tokens, tokensFile: file }, silent);
  expect(source.current?.count).toBe(3);
  expect(source.current?.find(hashToken('one'))).toMatchObject({ userId: 'ada', bestPriority: 10 });
  expect(source.current?.find(hashToken('of the file'))).toMatchObject({ role: 'viewer' });
  const open = TokenSource.open({ tokens: 'nonsense', tokensFile: undefined }, silent);
  await expect(open).rejects.toThrow(/GALLEY_TOKENS, entry 1/);
});
