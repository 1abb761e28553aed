import type { PageResult } from '@galley/contract';
import { type ReactNode, useState } from 'react';
import { pageImageUrl } from '../../api/index.ts';
import { useMessages } from '../../i18n/index.ts';
import { reader } from './messages.ts';
import { Overlay } from './Overlay.tsx';
import { useView } from './view.ts';
import { baseScale, TABS_FROM, turned } from './zoom.model.ts';

/** The page as displayed with its boxes and crop marks, at a scale. `version` changes when the page was read again. */
export function PagePicture({
  taskId,
  page,
  scale,
  version,
  tabs = true,
}: {
  taskId: string;
  page: PageResult;
  scale: number;
  version: string;
  tabs?: boolean;
}): ReactNode {
  const messages = useMessages(reader);
  const rotation = useView((view) => view.rotation);
  const [failed, setFailed] = useState<string | null>(null);
  const pixel = scale * baseScale(page);
  const frame = turned(page, rotation);
  const source = `${pageImageUrl(taskId, page.page)}${version === '' ? '' : `?v=${encodeURIComponent(version)}`}`;
  return (
    <div className="sheet" style={{ width: frame.width * pixel, height: frame.height * pixel }}>
      <i className="crop-marks" aria-hidden="true" />
      <div className={`sheet-turn sheet-turn--${rotation}`} style={{ width: page.width * pixel, height: page.height * pixel }}>
        {failed === source ? (
          <p className="sheet-failed">{messages.pictureGone}</p>
        ) : (
          <img
            src={source}
            alt={messages.picture(String(page.page))}
            width={page.width}
            height={page.height}
            draggable={false}
            onError={() => setFailed(source)}
          />
        )}
        <Overlay page={page} scale={pixel} tabs={tabs && scale >= TABS_FROM} />
      </div>
    </div>
  );
}
