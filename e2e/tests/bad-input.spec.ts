import { request } from 'node:http';
import { type Answer, Api, problemOf, submittedOf, type TestFile } from '../testing/api.ts';
import { encryptedPdf, textNamedPng } from '../testing/broken-files.ts';
import { expect, test } from '../testing/fixtures.ts';
import { launchStack, type RunningStack } from '../testing/launch-stack.ts';
import { UploadPage } from '../testing/pages/upload-page.ts';

const EMPTY: TestFile = { name: 'nothing.png', bytes: Buffer.alloc(0) };

/** Each file of the page is a request of its own, and Chromium notes a refused one in its console. */
const REFUSED = /status of 41[35].*\/api\/v1\/documents/;

function letter(seed: string): TestFile {
  return { name: `letter-${seed}.png`, bytes: textNamedPng(seed) };
}

test('empty, mislabelled and encrypted files are refused by name on the page, and nothing else suffers', async ({
  page,
  api,
  papers,
  complaints,
}) => {
  complaints.allow(REFUSED);
  const locked = { name: 'locked.pdf', bytes: encryptedPdf('locked') };
  const good = { name: 'good-among-bad.png', bytes: await papers.picture({ lines: ['Good among bad'] }) };
  const upload = new UploadPage(page);
  await upload.open();
  await upload.add(EMPTY, letter('page'), locked, good);
  await expect(upload.row(EMPTY.name)).toContainText('The file is empty');
  await expect(upload.row(EMPTY.name)).toContainText('empty_file');
  await expect(upload.row('letter-page.png')).toContainText('Not an image or PDF');
  await expect(upload.row('letter-page.png')).toContainText('unsupported_format');
  await expect(upload.row(good.name)).toContainText('Completed', { timeout: 45_000 });
  // Whether it needs a password is known only when it is opened, which a worker does.
  await expect(upload.row(locked.name)).toContainText('Dead letter');
  await expect(upload.row(locked.name)).toContainText('The PDF needs a password');
  const dead = await api.task(await upload.taskId(locked.name));
  expect(dead).toMatchObject({ attempts: 1, crashes: 0, errors: [{ code: 'encrypted_document' }] });
  await api.purgeDeadLetters();
});

test('the API refuses each bad file of a request by itself and takes the good ones', async ({ api, papers }) => {
  const good = { name: 'good.png', bytes: await papers.picture({ lines: ['Good in one request'] }) };
  const mixed = await api.upload([EMPTY, letter('mixed'), good]);
  expect(mixed.status).toBe(202);
  const { documents, rejected } = submittedOf(mixed);
  expect(documents.map(({ filename }) => filename)).toEqual([good.name]);
  expect(rejected).toEqual([
    { filename: EMPTY.name, code: 'empty_file', detail: expect.stringMatching(/\.$/) },
    { filename: 'letter-mixed.png', code: 'unsupported_format', detail: expect.stringMatching(/\.$/) },
  ]);
  await api.untilState(documents[0]?.task_id ?? '', 'completed');

  const refused = await api.upload([EMPTY, letter('alone')]);
  expect(refused.status, 'all refusals are 415').toBe(415);
  expect(refused.headers.get('content-type')).toContain('application/problem+json');
  expect(submittedOf(refused)).toMatchObject({ documents: [], rejected: [{ code: 'empty_file' }, { code: 'unsupported_format' }] });
  expect(problemOf(refused).code).toBe('nothing_accepted');
});

test('101 files in one request are refused together, by one code and a sentence', async ({ api, papers }) => {
  const bytes = await papers.picture({ lines: ['one of a hundred and one'] });
  const before = (await api.queue()).counts;
  const many = await api.upload(Array.from({ length: 101 }, (_, index) => ({ name: `${index}.png`, bytes })));
  expect(many.status).toBe(413);
  expect(problemOf(many)).toMatchObject({ code: 'too_many_files', status: 413, detail: expect.stringContaining('100') });
  expect((await api.queue()).counts, 'nothing of it was taken').toEqual(before);
});

test('a file of 200 MB is refused by the limit while the API goes on answering', async ({ api, papers }) => {
  const upload = streamUpload(api.url('submitDocuments'), 200_000_000);
  const beside = await api.submit({ name: 'beside.png', bytes: await papers.picture({ lines: ['Beside a giant'] }) });
  const answer = await upload;
  expect(answer.status).toBe(413);
  expect(problemOf(answer)).toMatchObject({ code: 'file_too_large', detail: expect.stringContaining('100 MB') });
  expect(submittedOf(answer).rejected).toMatchObject([{ filename: 'giant.png', code: 'file_too_large' }]);
  await api.untilState(beside.task_id, 'completed');
});

test.describe('with a low limit', () => {
  let stack: RunningStack;
  test.beforeAll(async () => {
    stack = await launchStack({ GALLEY_WORKERS: '0', GALLEY_MAX_FILE_BYTES: '4000' });
  });
  test.afterAll(() => stack.stop());

  test('a file over the limit is refused on the page, and a smaller one beside it is taken', async ({ page, papers, complaints }) => {
    complaints.allow(REFUSED);
    const large = { name: 'large.png', bytes: await papers.picture({ lines: Array.from({ length: 20 }, () => 'Too much for the limit') }) };
    const small = { name: 'small.png', bytes: await papers.picture({ lines: ['ok'] }) };
    expect(large.bytes.length).toBeGreaterThan(4_000);
    expect(small.bytes.length).toBeLessThan(4_000);
    await page.goto(`${stack.address}/upload`);
    const upload = new UploadPage(page);
    await upload.add(large, small);
    await expect(upload.row(large.name)).toContainText('Over the size limit');
    await expect(upload.row(large.name)).toContainText('4 kB');
    await expect(upload.row(large.name)).toContainText('file_too_large');
    await expect(upload.row(small.name)).toContainText('Pending');
    const answer = await new Api(stack.address).upload([large]);
    expect(answer.status).toBe(413);
    expect(problemOf(answer).code).toBe('file_too_large');
  });
});

/** Sends one file of that size in pieces, as fast as they are taken, without ever holding more than one. */
function streamUpload(address: string, size: number): Promise<Answer> {
  const boundary = 'a-boundary-of-the-tests';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="giant.png"\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const piece = Buffer.alloc(1_000_000);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new Promise((resolve, reject) => {
    const sent = request(
      address,
      {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': head.length + size + tail.length },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
          resolve({ status: response.statusCode ?? 0, headers: new Headers(), body });
        });
      },
    );
    sent.on('error', reject);
    sent.write(head);
    sent.write(signature);
    let left = size - signature.length;
    const feed = (): void => {
      while (left > 0) {
        const next = piece.subarray(0, Math.min(left, piece.length));
        left -= next.length;
        if (!sent.write(next)) {
          sent.once('drain', feed);
          return;
        }
      }
      sent.end(tail);
    };
    feed();
  });
}
