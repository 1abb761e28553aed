import { Upload } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { Button } from '../../ui/index.ts';
import { openChooser } from './chooser.ts';
import { upload } from './messages.ts';
import { addFiles } from './uploads.ts';

/** Where files may be dropped. The whole page takes them; this place says so. `large`: nothing has been added yet. */
export function DropZone({ large = false }: { large?: boolean }): ReactNode {
  const messages = useMessages(upload);
  const choose = (kind: 'files' | 'folder'): void => openChooser(kind, addFiles);
  const { before, link, after } = messages.choose;
  if (large)
    return (
      <div className="drop-zone drop-zone--large">
        <Upload size={28} strokeWidth={1.5} aria-hidden="true" />
        <p className="type-empty">{messages.drop}</p>
        <p className="drop-zone-formats">{messages.formats}</p>
        <div className="drop-zone-actions">
          <Button kind="primary" onClick={() => choose('files')}>
            {messages.chooseFiles}
          </Button>
          <Button onClick={() => choose('folder')}>{messages.chooseFolder}</Button>
        </div>
      </div>
    );
  return (
    <div className="drop-zone">
      <Upload size={18} strokeWidth={1.75} aria-hidden="true" />
      <p>{messages.dropMore}</p>
      <p className="type-control drop-zone-choose">
        {before}
        <button type="button" className="link" onClick={() => choose('files')}>
          {link}
        </button>
        {after}
      </p>
    </div>
  );
}
