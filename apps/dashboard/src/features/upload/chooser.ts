/** Opens the browser's chooser; the files come when the person has chosen, and never where they did not. */
export function openChooser(kind: 'files' | 'folder', chosen: (files: readonly File[]) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  if (kind === 'folder') input.webkitdirectory = true;
  input.hidden = true;
  input.dataset.chooser = kind;
  input.addEventListener('change', () => {
    chosen([...(input.files ?? [])]);
    input.remove();
  });
  input.addEventListener('cancel', () => input.remove());
  // In the document, so that tests and assistive technology can reach it while it is open.
  document.body.append(input);
  input.click();
}
