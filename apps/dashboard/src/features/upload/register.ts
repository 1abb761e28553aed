import { navigate } from 'wouter/use-browser-location';
import { registerCommands, registerDropTarget, registerFilePicker } from '../../registry/index.ts';
import { onQueue, PATHS } from '../../routing/paths.ts';
import { DEFAULT_QUEUE, useStore } from '../../store/index.ts';
import { openChooser } from './chooser.ts';
import { collectTransfer } from './collect.ts';
import { commands } from './commandMessages.ts';

function showUploads(): void {
  if (window.location.pathname !== PATHS.upload) navigate(onQueue(PATHS.upload, useStore.getState().queue, DEFAULT_QUEUE));
}

function take(data: DataTransfer): void {
  // Read at once: browsers empty a transfer when the event has passed.
  const reading = collectTransfer(data);
  showUploads();
  void import('./uploads.ts').then(({ addTransfer }) => addTransfer(reading));
}

function choose(kind: 'files' | 'folder'): void {
  openChooser(kind, (files) => {
    showUploads();
    void import('./uploads.ts').then(({ addFiles }) => addFiles(files));
  });
}

/** Files are taken on every page: dropped, pasted, or chosen by a command. The uploader itself is loaded with the first of them. */
export function register(): void {
  registerDropTarget({ accept: take });
  registerFilePicker(() => choose('files'));
  registerCommands((language) => [
    { id: 'upload-files', group: 'actions', label: commands[language].files, keywords: ['upload', '上传'], run: () => choose('files') },
    {
      id: 'upload-folder',
      group: 'actions',
      label: commands[language].folder,
      keywords: ['upload', '上传'],
      run: () => choose('folder'),
    },
  ]);
  window.addEventListener('paste', (event) => {
    if (event.clipboardData === null || event.clipboardData.files.length === 0) return;
    event.preventDefault();
    take(event.clipboardData);
  });
}
