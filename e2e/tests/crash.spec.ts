import { expect, test } from '../testing/fixtures.ts';
import { densePaper } from '../testing/papers.ts';

test('a worker that is killed in the middle of a task loses nothing: another run finishes it, and the page tells of the crash', async ({
  page,
  api,
  papers,
}) => {
  await api.untilIdle(2);
  const before = await api.workers();
  // Long enough that the worker is still at it when it is killed.
  const title = 'This page outlives its first worker';
  const bytes = await papers.picture(densePaper(title, 40));
  const { task_id: id } = await api.submit({ name: 'outlives-its-worker.png', bytes });
  await page.goto(`/tasks/${id}`);
  const running = await api.until(
    id,
    'held by a worker',
    ({ status, worker_id: worker }) => status === 'processing' && worker !== undefined,
  );
  const victim = before.find(({ worker_id: worker }) => worker === running.worker_id);
  if (victim === undefined) throw new Error(`no worker of this stack is ${running.worker_id}`);
  process.kill(victim.pid, 'SIGKILL');

  const finished = await api.untilState(id, 'completed');
  expect(finished.crashes).toBe(1);
  expect(finished.attempts, 'a crash spends no attempt').toBe(0);
  expect(finished.fence).toBe(running.fence + 1);
  const claims = (await api.events(id)).filter(({ event }) => event === 'claimed').map(({ worker_id: worker }) => worker);
  expect(claims).toHaveLength(2);
  expect(claims[0]).toBe(victim.worker_id);
  expect(claims[1]).not.toBe(victim.worker_id);
  expect(await api.text(id)).toContain(title);

  // Live, on the page that was open all the while.
  await expect(page.locator('.page-head .badge')).toHaveText('Completed');
  await expect(page.getByText(/Run 1.*ended in a crash/)).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('outlives-its-worker.png');
  // The launcher has put a new worker in its place.
  await api.untilIdle(2);
  expect((await api.workers()).map(({ worker_id: worker }) => worker)).not.toContain(victim.worker_id);
});
