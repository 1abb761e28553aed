import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createS3BlobStore } from './s3-blob-store.ts';
import { S3Client } from './s3-client.ts';
import { signRequest } from './sign-request.ts';

/** The keys, requests and signatures of the examples in Amazon's S3 API reference (Authorization header, payload in a single chunk). */
const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', region: 'us-east-1' };
const AT = '20130524T000000Z';
const BUCKET = 'https://examplebucket.s3.amazonaws.com';
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const EMPTY = { 'x-amz-content-sha256': sha256('') };

const PUBLISHED = [
  {
    what: 'puts an object',
    request: {
      method: 'PUT',
      url: `${BUCKET}/test%24file.text`,
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        'x-amz-content-sha256': sha256('Welcome to Amazon S3.'),
      },
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    what: 'asks for a setting of a bucket',
    request: { method: 'GET', url: `${BUCKET}/?lifecycle`, headers: EMPTY },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    what: 'lists a bucket',
    request: { method: 'GET', url: `${BUCKET}/?max-keys=2&prefix=J`, headers: EMPTY },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** What a server makes of a request that has come: Amazon's description of the signature, followed step by step. */
function signatureOf({ method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>, secret: string): string {
  const { pathname, searchParams } = new URL(url, 'http://any');
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const scope = /Credential=[^/]+\/([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const [day = '', region = '', service = ''] = scope.split('/');
  const query = [...searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const lines = signed.split(';').map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`);
  const payload = String(headers['x-amz-content-sha256']);
  const canonical = [method, pathname, query.join('&'), lines.join(''), signed, payload].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), service), 'aws4_request');
  return hmac(key, ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')).toString('hex');
}

describe('the signature of a request', () => {
  it.each(PUBLISHED)('that $what is the one that Amazon publishes for it', async ({ request, signature }) => {
    const { headers } = await signRequest(request, KEYS, AT);
    expect(headers['authorization']).toContain(`Credential=${KEYS.accessKeyId}/20130524/us-east-1/s3/aws4_request`);
    expect(headers['authorization']).toMatch(new RegExp(`Signature=${signature}$`));
    const { pathname, search, host } = new URL(request.url);
    const came = { method: request.method, url: pathname + search, headers: { ...headers, host } };
    expect(signatureOf(came, KEYS.secretAccessKey)).toBe(signature);
  });
});

describe('a bucket whose server checks signatures', () => {
  const objects = new Map<string, Buffer>();
  let spool: string;
  let endpoint: string;
  const refused: string[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const says = /Signature=([0-9a-f]{64})$/.exec(request.headers.authorization ?? '')?.[1];
      const name = new URL(request.url ?? '', 'http://any').pathname;
      const isRight = says === signatureOf(request, KEYS.secretAccessKey) && request.headers['x-amz-content-sha256'] === sha256(body);
      if (!isRight) refused.push(`${request.method} ${request.url}`);
      if (request.method === 'PUT' && isRight) objects.set(name, body);
      const found = objects.get(name);
      response.statusCode = !isRight ? 403 : request.method === 'PUT' || found !== undefined ? 200 : 404;
      response.end(isRight && request.method === 'GET' ? found : undefined);
    });
  });
  beforeAll(async () => {
    spool = await mkdtemp(path.join(os.tmpdir(), 'galley-sign-'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(spool, { recursive: true, force: true });
  });

  it('takes what the store puts and gives it back, and takes no word signed with another secret', async () => {
    const url = `${endpoint}/galley/a prefix/é`;
    const store = createS3BlobStore({ location: { ...KEYS, url }, spool });
    const bytes = Buffer.from('soup of the day');
    const { sha256: hash } = await store.put(bytes);
    expect(Buffer.from(await store.read(hash)).equals(bytes)).toBe(true);
    expect([...objects.values()]).toEqual([bytes]);
    expect(refused).toEqual([]);
    const stranger = createS3BlobStore({ location: { ...KEYS, url, secretAccessKey: 'guessed' }, spool });
    await expect(stranger.read(hash)).rejects.toThrow(/answered 403/);
    expect(refused).toHaveLength(1);
  });

  it('understands queries as they are signed', async () => {
    refused.length = 0;
    const client = new S3Client({ ...KEYS, url: `${endpoint}/galley` });
    const answer = await client.send({ method: 'GET', query: { 'list-type': '2', prefix: 'a b/é*', marker: "~'()!" }, headers: EMPTY });
    answer.resume();
    expect([answer.statusCode, refused]).toEqual([404, []]);
  });
});
