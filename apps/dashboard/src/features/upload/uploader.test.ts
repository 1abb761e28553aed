import type { SubmitDocuments } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { ApiError, type DocumentUpload } from '../../api/index.ts';
import { Uploader, type UploaderView } from './uploader.ts';

interface Call {
  readonly upload: DocumentUpload;
  readonly resolve: (answer: SubmitDocuments) => void;
  readonly reject: (error: Error) => void;
}

/** An uploader whose server and clock the test holds in its hands. */
function started(names: readonly string[], atOnce = 2) {
  const calls: Call[] = [];
  const timers: { run: () => void; ms: number }[] = [];
  let view: UploaderView | undefined;
  const uploader = new Uploader(
    {
      submit: (upload) =>
        new Promise((resolve, reject) => {
          upload.signal?.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
          calls.push({ upload, resolve, reject });
        }),
      now: () => 0,
      later: (run, ms) => {
        timers.push({ run, ms });
        return () => {};
      },
      changed: (next) => {
        view = next;
      },
    },
    { priority: 10, engine: 'auto', dedupe: true, atOnce },
  );
  uploader.add(names.map((name) => ({ file: new File(['abcd'], name), folder: '' })));
  const settle = async (): Promise<UploaderView> => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (const timer of timers.splice(0).filter((one) => one.ms <= 100)) timer.run();
    if (view === undefined) throw new Error('nothing was published');
    return view;
  };
  return { uploader, calls, timers, settle };
}

const accepted = (duplicate = false): SubmitDocuments => ({
  documents: [
    {
      task_id: 'ocr-00-000000000001-abcdef',
      filename: 'a',
      sha256: 'a'.repeat(64),
      status: 'pending',
      priority: 10,
      created_at: '2026-11-30T14:31:54.000Z',
      duplicate,
    },
  ],
  rejected: [],
});
const refusal = (code: string, status: number, retryAfter?: number): ApiError =>
  new ApiError({ code, title: code, detail: 'because', remedy: '', status, retryAfter });

describe('Uploader', () => {
  it('sends a few at once with the settings of the moment, and the next when one is answered', async () => {
    const { uploader, calls, settle } = started(['a', 'b', 'c']);
    expect(calls).toHaveLength(2);
    expect(calls[0]?.upload.fields).toEqual({ priority: '10', engine: 'auto', dedupe: 'true' });
    uploader.set({ priority: 1000, dedupe: false });
    calls[0]?.resolve(accepted());
    const { uploads } = await settle();
    expect(calls[2]?.upload.fields).toEqual({ priority: '1000', engine: 'auto', dedupe: 'false' });
    expect(uploads.map(({ state }) => state)).toEqual(['accepted', 'uploading', 'uploading']);
    expect(uploads[0]?.task).toEqual({ id: 'ocr-00-000000000001-abcdef', status: 'pending' });
  });

  it('tells duplicates, refusals and failures apart', async () => {
    const { calls, settle } = started(['a', 'b', 'c'], 3);
    calls[0]?.resolve(accepted(true));
    calls[1]?.resolve({ documents: [], rejected: [{ filename: 'b', code: 'empty_file', detail: 'The file is empty.' }] });
    calls[2]?.reject(refusal('unreachable', 0));
    const { uploads } = await settle();
    expect(uploads.map(({ state }) => state)).toEqual(['duplicate', 'refused', 'failed']);
    expect(uploads[1]?.refusal?.code).toBe('empty_file');
  });

  it('waits where the server asks for it, and loses no file', async () => {
    const { calls, timers, settle } = started(['a', 'b'], 1);
    calls[0]?.reject(refusal('queue_full', 429, 7));
    await new Promise((resolve) => setTimeout(resolve, 0));
    const wait = timers.find((timer) => timer.ms === 7_000);
    const held = await settle();
    expect(held.hold).toEqual({ until: 7_000, code: 'queue_full' });
    expect(held.uploads.map(({ state }) => state)).toEqual(['queued', 'queued']);
    wait?.run();
    expect(calls).toHaveLength(2);
  });

  it('pauses by itself when nothing answers any more', async () => {
    const { uploader, calls, settle } = started(['a', 'b', 'c', 'd', 'e', 'f'], 1);
    for (let index = 0; index < 4; index += 1) {
      calls[index]?.reject(refusal('unreachable', 0));
      await settle();
    }
    const view = await settle();
    expect([view.paused, view.pausedItself, calls.length]).toEqual([true, true, 4]);
    uploader.retry({ states: ['failed'] });
    expect(calls).toHaveLength(5);
  });

  it('goes on by itself when the server is back, but not where somebody paused it', async () => {
    const { uploader, calls, settle } = started(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'], 1);
    const fail = async (from: number): Promise<void> => {
      for (let index = from; index < from + 4; index += 1) {
        calls[index]?.reject(refusal('unreachable', 0));
        await settle();
      }
    };
    await fail(0);
    uploader.serverIsBack();
    expect(calls).toHaveLength(5);
    expect((await settle()).paused).toBe(false);
    uploader.pause();
    calls[4]?.resolve(accepted());
    await settle();
    uploader.serverIsBack();
    const view = await settle();
    expect([view.paused, view.pausedItself, calls.length]).toEqual([true, false, 5]);
  });

  it('stops what is on its way and what waits, and sends it again when asked', async () => {
    const { uploader, calls, settle } = started(['a', 'b', 'c']);
    uploader.stop();
    expect((await settle()).uploads.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
    uploader.retry({ id: 1 });
    expect(calls).toHaveLength(3);
    expect((await settle()).uploads.map(({ state }) => state)).toEqual(['stopped', 'uploading', 'stopped']);
  });

  it('keeps a pause while files are added', () => {
    const { uploader, calls } = started([]);
    uploader.pause();
    uploader.add([{ file: new File(['x'], 'x'), folder: '' }]);
    expect(calls).toHaveLength(0);
    uploader.resume();
    expect(calls).toHaveLength(1);
  });
});
