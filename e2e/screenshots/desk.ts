import type { Api } from '../testing/api.ts';
import { brokenPdf, encryptedPdf } from '../testing/broken-files.ts';
import { textPdf } from '../testing/text-pdf.ts';
import type { Documents } from './documents.ts';

const TICK_MS = 1_000;
/** A minute's work, second by second, so that the charts have something to tell: files that come in that second. */
const RHYTHM = [3, 4, 2, 5, 3, 6, 4, 3, 7, 5, 4, 2];
const PRIORITIES = ['bulk', 'bulk', 'normal', 'bulk', 'normal', 'bulk', 'bulk', 'high', 'bulk', 'normal'] as const;
const USERS = ['archive-import', 'archive-import', 'team-claims', 'archive-import', 'team-customs', 'archive-import', 'office'] as const;

/** The n-th plate of a ledger: no two are the same file. */
export function plate(n: number): { name: string; bytes: Buffer } {
  const lines = [
    `Ledger 1987, volume 4, plate ${n}`,
    '',
    ...Array.from(
      { length: 14 },
      (_, row) => `${row + 1}. Received of the harbour office, folio ${n * 14 + row}, the sum of ${(n * 37 + row * 113) % 900} pounds`,
    ),
  ];
  return { name: `ledger-1987-vol-04-plate-${String(n).padStart(3, '0')}.pdf`, bytes: textPdf([{ lines }]) };
}

export function plates(from: number, count: number): { name: string; bytes: Buffer }[] {
  return Array.from({ length: count }, (_, index) => plate(from + index));
}

/** What stands in line is kept at about that much, however fast the machine is. */
const DEPTH = 2_000;
const CATCHING_UP = 18;

/** Sends files at the rhythm of a working day until it is stopped. `first`: the number of its first plate. */
export function keepBusy(api: Api, first: number): () => Promise<void> {
  let tick = 0;
  let next = first;
  let sending: Promise<unknown> = Promise.resolve();
  const send = async (): Promise<void> => {
    const { pending } = (await api.queue()).counts;
    const files = plates(next, (RHYTHM[tick % RHYTHM.length] ?? 3) + (pending < DEPTH ? CATCHING_UP : 0));
    const fields = { priority: PRIORITIES[tick % PRIORITIES.length] ?? 'normal', user_id: USERS[tick % USERS.length] ?? 'office' };
    tick += 1;
    next += files.length;
    await api.upload(files, fields);
  };
  const timer = setInterval(() => {
    sending = sending.then(send);
    // Told when it is stopped.
    sending.catch(() => undefined);
  }, TICK_MS);
  return async () => {
    clearInterval(timer);
    await sending;
  };
}

/** Documents that cannot be read, each in its own way. */
export async function submitUnreadable(api: Api, nowhere: string): Promise<void> {
  const names = ['contracts-sealed.pdf', 'board-minutes-sealed.pdf', 'payroll-2023.pdf', 'lease-agreement-signed.pdf'];
  await api.upload(
    names.map((name) => ({ name, bytes: encryptedPdf(name) })),
    { user_id: 'office' },
  );
  const broken = ['site-survey-full.pdf', 'fax-2024-11-02.pdf', 'customs-0417.pdf'];
  await api.upload(
    broken.map((name) => ({ name, bytes: brokenPdf(name) })),
    { user_id: 'team-customs' },
  );
  for (const name of ['plate-0590.png', 'plate-0591.png'])
    await api.submitUrl(`${nowhere}/${name}`, { user_id: 'archive-import', priority: 'bulk' });
}

/** Documents that wait for their time. */
export async function submitLater(api: Api, site: string): Promise<void> {
  for (let part = 1; part <= 4; part++)
    await api.submitUrl(`${site}/month-end-statements-${part}.png`, {
      delay_ms: 40 * 60_000 + part * 60_000,
      priority: 'bulk',
      user_id: 'office',
    });
}

/** What the pictures are about. Answers the ids of what the reader and the task page show. */
export async function submitDocuments(
  api: Api,
  documents: Documents,
): Promise<{ invoices: string; scan: string; receipt: string; letter: string }> {
  const submit = async (name: string, bytes: Buffer, fields: Record<string, string>): Promise<string> =>
    (await api.submit({ name, bytes }, fields)).task_id;
  return {
    invoices: await submit('northwind-invoices-2024-10.pdf', documents.invoices, { priority: 'urgent', user_id: 'team-claims' }),
    scan: await submit('delivery-note-0417.png', documents.scannedInvoice, { priority: 'high', user_id: 'team-claims' }),
    receipt: await submit('北方仪器有限公司_入库单_2026-11-28_最终版.png', documents.receipt, {
      priority: 'high',
      user_id: 'team-customs',
    }),
    letter: await submit('report-on-the-east-wing.png', documents.letter, { priority: 'normal', user_id: 'office' }),
  };
}
