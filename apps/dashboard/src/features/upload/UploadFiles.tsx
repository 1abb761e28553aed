import { type ReactNode, useMemo, useState } from 'react';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { Tabs } from '../../ui/index.ts';
import { VirtualRows } from '../../ui/VirtualRows.tsx';
import { upload } from './messages.ts';
import { UploadRow } from './UploadRow.tsx';
import { keptOrder, orderOf, tabCount, UPLOAD_TABS, type Upload, type UploadCounts, type UploadTab } from './upload.model.ts';
import { useUploads } from './uploads.ts';

const PANEL = 'upload-files';

/** The rows of a tab. While the pointer is over them none moves: their order waits until it has left. */
function useStillRows(tab: UploadTab): { rows: readonly Upload[]; hold: (over: boolean) => void } {
  const uploads = useUploads((view) => view.uploads);
  const [held, setHeld] = useState<readonly number[] | null>(null);
  const order = useMemo(() => {
    const wanted = orderOf(uploads, tab);
    return held === null ? wanted : keptOrder(held, wanted);
  }, [uploads, tab, held]);
  const rows = useMemo(() => order.flatMap((id) => uploads[id] ?? []), [order, uploads]);
  return { rows, hold: (over) => setHeld(over ? order : null) };
}

/** Every file with how far it is, by tabs. */
export function UploadFiles({ counts }: { counts: UploadCounts }): ReactNode {
  const messages = useMessages(upload);
  const [tab, setTab] = useState<UploadTab>('all');
  const [active, setActive] = useState<string | null>(null);
  const { rows, hold } = useStillRows(tab);
  return (
    <>
      <Tabs
        label={messages.views}
        panel={PANEL}
        value={tab}
        onChoose={(value) => {
          hold(false);
          setTab(value);
        }}
        className="upload-tabs"
        tabs={UPLOAD_TABS.map((value) => ({ value, label: messages.tabs[value], hint: formatCount(tabCount(counts, value)) }))}
      />
      <div
        id={PANEL}
        role="tabpanel"
        aria-label={messages.tabs[tab]}
        onPointerEnter={(event) => hold(event.pointerType === 'mouse')}
        onPointerLeave={() => hold(false)}
      >
        {rows.length === 0 ? (
          <p className="upload-none">{messages.nothingInTab}</p>
        ) : (
          <VirtualRows
            label={messages.list}
            rows={rows}
            rowKey={(row) => String(row.id)}
            rowHeight={40}
            total={rows.length}
            active={active}
            onActive={setActive}
            className="upload-rows"
            head={
              <>
                <th scope="col">{messages.columns.file}</th>
                <th scope="col">{messages.columns.size}</th>
                <th scope="col">{messages.columns.state}</th>
                <th scope="col">{messages.columns.action}</th>
              </>
            }
          >
            {(row) => <UploadRow upload={row} />}
          </VirtualRows>
        )}
      </div>
    </>
  );
}
