import { createStore, useStore } from 'zustand';
import { submitDocuments } from '../../api/index.ts';
import { formatCount } from '../../i18n/index.ts';
import { registerCommands } from '../../registry/index.ts';
import { useStore as appStore } from '../../store/index.ts';
import { type CollectedFile, collectFiles, collectTransfer } from './collect.ts';
import { upload } from './messages.ts';
import { countsOf } from './upload.model.ts';
import { Uploader, type UploaderView, type UploadSettings } from './uploader.ts';

export const FIRST_SETTINGS: UploadSettings = { priority: 100, engine: 'auto', dedupe: true, atOnce: 4 };

const uploads = createStore<UploaderView>(() => ({
  uploads: [],
  settings: FIRST_SETTINGS,
  paused: false,
  pausedItself: false,
  hold: null,
  samples: [],
}));

/** The page's one uploader; it goes on while other pages of the dashboard are shown. */
export const uploader = new Uploader(
  {
    submit: submitDocuments,
    now: () => performance.now(),
    later: (run, ms) => {
      const timer = window.setTimeout(run, ms);
      return () => window.clearTimeout(timer);
    },
    changed: (view) => uploads.setState(view),
  },
  FIRST_SETTINGS,
);

appStore.subscribe(({ connection: { wire } }, { connection: { wire: before } }) => {
  if (wire.kind === 'connected' && before.kind !== 'connected') uploader.serverIsBack();
});

function warnsBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

let warning = false;
uploads.subscribe(({ uploads: all }) => {
  const unfinished = all.some(({ state }) => state === 'queued' || state === 'uploading');
  if (unfinished === warning) return;
  warning = unfinished;
  // Only while it is needed: a page with this listener is kept out of the browser's back-forward cache.
  if (warning) window.addEventListener('beforeunload', warnsBeforeLeaving);
  else window.removeEventListener('beforeunload', warnsBeforeLeaving);
});

registerCommands((language) => {
  const { failed } = countsOf(uploads.getState().uploads);
  if (failed === 0) return [];
  const { retryFailedFiles, files } = upload[language];
  const run = (): void => uploader.retry({ states: ['failed'] });
  return [{ id: 'upload-retry', group: 'actions', label: retryFailedFiles, hint: files(formatCount(failed)), run }];
});

export function useUploads<T>(select: (view: UploaderView) => T): T {
  return useStore(uploads, select);
}

export function addFiles(files: Iterable<File>): void {
  uploader.add(collectFiles(files));
}

export async function addTransfer(reading: Promise<readonly CollectedFile[]>): Promise<void> {
  uploader.add(await reading);
}

export { collectTransfer };
