import { brokenPdf } from '../testing/broken-files.ts';
import { expect, test } from '../testing/fixtures.ts';
import { DeadLettersPage } from '../testing/pages/dead-letters-page.ts';
import { UploadPage } from '../testing/pages/upload-page.ts';
import { serveWeb } from '../testing/web-server.ts';

test.beforeEach(({ api }) => api.purgeDeadLetters());

test('a broken PDF becomes a dead letter that says why; retried by the admin, it runs again and dies again', async ({ page, api }) => {
  const file = { name: 'half-a-scan.pdf', bytes: brokenPdf('half-a-scan') };
  const upload = new UploadPage(page);
  await upload.open();
  await upload.add(file);
  await expect(upload.row(file.name)).toContainText('Dead letter');
  await expect(upload.row(file.name)).toContainText('The file is damaged');
  const id = await upload.taskId(file.name);
  const dead = await api.untilState(id, 'dead_letter');
  expect(dead.errors.map(({ code }) => code)).toEqual(['corrupt_document']);
  expect(dead.attempts).toBe(1);

  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: /Dead letters/ })
    .click();
  const letters = new DeadLettersPage(page);
  const group = letters.group('corrupt_document');
  await expect(group).toContainText('The file is damaged');
  await expect(group).toContainText('Retrying will not help');
  await expect(group.getByRole('button', { name: /^Retry/ }), 'no group button where a retry cannot help').toHaveCount(0);
  const rows = await letters.show('corrupt_document');
  await expect(rows).toContainText(file.name);
  await expect(rows).toContainText(dead.errors[0]?.message ?? 'a message');

  // A person may still insist.
  await letters.select(file.name);
  await page.getByRole('button', { name: 'Retry 1', exact: true }).click();
  await letters.answer('Put 1 dead letter back in line?', 'Retry 1');
  await expect(page.getByText('1 dead letter is back in line').first()).toBeVisible();
  const again = await api.until(id, 'dead again', ({ status, fence }) => status === 'dead_letter' && fence > dead.fence);
  expect(again.fence).toBe(dead.fence + 1);
  expect(again.attempts, 'a revival counts from the start').toBe(1);
  const steps = (await api.events(id)).map(({ event }) => event).filter((event) => event !== 'renewed' && event !== 'failed');
  expect(steps).toEqual(['submitted', 'claimed', 'dead_lettered', 'revived', 'claimed', 'dead_lettered']);
  await expect(rows).toContainText(file.name);
});

test('several dead letters are retried at once, and then all of them', async ({ page, api }) => {
  const names = ['torn-one.pdf', 'torn-two.pdf', 'torn-three.pdf'];
  const ids = await Promise.all(names.map(async (name) => (await api.submit({ name, bytes: brokenPdf(name) })).task_id));
  for (const id of ids) await api.untilState(id, 'dead_letter');
  const fences = (): Promise<number[]> => Promise.all(ids.map(async (id) => (await api.task(id)).fence));

  const letters = new DeadLettersPage(page);
  await letters.open();
  await letters.show('corrupt_document');
  await letters.select('torn-one.pdf', 'torn-three.pdf');
  await page.getByRole('button', { name: 'Retry 2', exact: true }).click();
  await letters.answer('Put 2 dead letters back in line?', 'Retry 2');
  await expect(page.getByText('2 dead letters are back in line').first()).toBeVisible();
  await expect.poll(fences).toEqual([2, 1, 2]);
  for (const id of ids) await api.untilState(id, 'dead_letter');

  await page.getByRole('button', { name: 'Retry all 3' }).click();
  await letters.answer('Put 3 dead letters back in line?', 'Retry 3');
  await expect(page.getByText('3 dead letters are back in line').first()).toBeVisible();
  await expect.poll(fences).toEqual([3, 2, 3]);
  for (const id of ids) await api.untilState(id, 'dead_letter');
  await expect(page.getByRole('button', { name: 'Retry all 3' })).toBeVisible();
});

test('Retry on one dead letter brings it to its end once the cause is mended', async ({ page, api, papers }) => {
  const picture = await papers.picture({ lines: ['The picture came at last'] });
  let there = false;
  const site = await serveWeb((_request, response) => {
    if (there) response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    else response.writeHead(404).end();
  });
  try {
    const id = await api.submitUrl(`${site.origin}/late.png`);
    const dead = await api.untilState(id, 'dead_letter');
    expect(dead.errors.at(-1)?.code).toBe('fetch_rejected');
    const letters = new DeadLettersPage(page);
    await letters.open();
    await expect(letters.group('fetch_rejected')).toContainText('The URL’s server refused it');
    const rows = await letters.show('fetch_rejected');
    there = true;
    await rows.getByRole('button', { name: /^Retry/ }).click();
    await api.untilState(id, 'completed');
    await expect(page.getByText('No dead letters.')).toBeVisible();
    expect(await api.text(id)).toContain('The picture came at last');
  } finally {
    await site.close();
  }
});

test('purge asks for its phrase, and takes the task and its errors', async ({ page, api }) => {
  const { task_id: id } = await api.submit({ name: 'to-be-purged.pdf', bytes: brokenPdf('to-be-purged') });
  await api.untilState(id, 'dead_letter');
  await new DeadLettersPage(page).open();
  await page.getByRole('button', { name: 'Purge all' }).click();
  const dialog = page.getByRole('dialog', { name: 'Purge 1 dead letter?' });
  const purge = dialog.getByRole('button', { name: 'Purge 1', exact: true });
  await expect(purge).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByRole('textbox').fill('purge 1');
  await purge.click();
  await expect(page.getByText('No dead letters.')).toBeVisible();
  expect((await api.call('getTask', { parameters: { id } })).status).toBe(404);
});
