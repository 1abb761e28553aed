import { CirclePause, Pause, Play, RotateCw, Trash2, X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useErrorWords } from '../../i18n/errors.ts';
import { common, formatBytes, formatCount, useMessages } from '../../i18n/index.ts';
import { chooseFiles, useKeys } from '../../registry/index.ts';
import { useStore } from '../../store/index.ts';
import { Alert, Button, PageHead } from '../../ui/index.ts';
import { DropZone } from './DropZone.tsx';
import { upload as messagesOf } from './messages.ts';
import { Settings } from './Settings.tsx';
import { Totals } from './Totals.tsx';
import { UploadFiles } from './UploadFiles.tsx';
import { bytesOf, commonFolder, countsOf, type UploadCounts } from './upload.model.ts';
import './upload.css';
import { uploader, useUploads } from './uploads.ts';

function Actions({ counts }: { counts: UploadCounts }): ReactNode {
  const messages = useMessages(messagesOf);
  const paused = useUploads((view) => view.paused);
  const unfinished = counts.queued + counts.uploading;
  return (
    <>
      {unfinished > 0 &&
        (paused ? (
          <Button kind="primary" icon={<Play />} onClick={() => uploader.resume()}>
            {messages.resume}
          </Button>
        ) : (
          <Button icon={<Pause />} onClick={() => uploader.pause()}>
            {messages.pause}
          </Button>
        ))}
      {counts.failed > 0 && (
        <Button icon={<RotateCw />} onClick={() => uploader.retry({ states: ['failed'] })}>
          {messages.retryFailed} <span className="button-count">{formatCount(counts.failed)}</span>
        </Button>
      )}
      {unfinished > 0 && (
        <Button icon={<X />} onClick={() => uploader.stop()}>
          {messages.cancelRest}
        </Button>
      )}
      {unfinished === 0 && counts.stopped > 0 && (
        <Button icon={<Play />} onClick={() => uploader.retry({ states: ['stopped'] })}>
          {messages.uploadRest} <span className="button-count">{formatCount(counts.stopped)}</span>
        </Button>
      )}
      {unfinished === 0 && (
        <Button icon={<Trash2 />} onClick={() => uploader.clear()}>
          {messages.clear}
        </Button>
      )}
    </>
  );
}

function useSecondsUntil(until: number | null): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (until === null) return;
    const timer = window.setInterval(() => setNow(performance.now()), 500);
    return () => window.clearInterval(timer);
  }, [until]);
  return until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1_000));
}

function Notices(): ReactNode {
  const messages = useMessages(messagesOf);
  const words = useErrorWords();
  const away = useUploads((view) => view.pausedItself);
  const hold = useUploads((view) => view.hold);
  const seconds = useSecondsUntil(hold?.until ?? null);
  const viewer = useStore((state) => state.session.status === 'open' && state.session.role === 'viewer');
  if (!away && hold === null && !viewer) return null;
  return (
    <div className="alerts upload-notices">
      {viewer && <Alert what={messages.viewer} why={messages.viewerWhy} />}
      {away && (
        <Alert
          what={messages.away}
          why={messages.awayWhy}
          actions={
            <button type="button" className="link" onClick={() => uploader.resume()}>
              {messages.resume}
            </button>
          }
        />
      )}
      {hold !== null && (
        <Alert
          icon={<CirclePause size={18} strokeWidth={1.75} aria-hidden="true" />}
          what={words(hold.code).title}
          why={messages.hold(String(seconds))}
        />
      )}
    </div>
  );
}

function useSummary(): string {
  const messages = useMessages(messagesOf);
  const uploads = useUploads((view) => view.uploads);
  return useMemo(() => {
    const count = uploads.length;
    if (count === 0) return messages.none;
    const bytes = formatBytes(bytesOf(uploads).total);
    const summary = count === 1 ? messages.summaryOne(bytes) : messages.summary(formatCount(count), bytes);
    const folder = commonFolder(uploads);
    return folder === null ? summary : messages.fromFolder(summary, folder);
  }, [uploads, messages]);
}

/** Files on their way to the server, what it answered, and what becomes of them. */
export default function UploadPage(): ReactNode {
  const messages = useMessages(messagesOf);
  const { page } = useMessages(common);
  const uploads = useUploads((view) => view.uploads);
  const counts = useMemo(() => countsOf(uploads), [uploads]);
  const summary = useSummary();
  const any = uploads.length > 0;
  const unfinished = counts.queued + counts.uploading > 0;
  useKeys([
    { keys: 'p', label: messages.keys.pause, group: 'upload', run: () => (uploader.isPaused() ? uploader.resume() : uploader.pause()) },
    { keys: 'n', label: messages.keys.choose, group: 'upload', run: () => void chooseFiles() },
  ]);
  return (
    <>
      <PageHead title={page.upload} sub={summary} actions={any ? <Actions counts={counts} /> : undefined} />
      <Notices />
      <div className={any ? 'upload' : 'upload upload--empty'}>
        {any ? (
          <section className="upload-main">
            <Totals counts={counts} />
            <UploadFiles counts={counts} />
          </section>
        ) : (
          <DropZone large />
        )}
        <aside className="upload-aside" aria-label={messages.settings}>
          <Settings toGo={counts.queued} any={any} />
          {any && <DropZone />}
          {unfinished && <Alert kind="info" what={<span className="upload-keep">{messages.keepOpen}</span>} why={messages.keepOpenWhy} />}
        </aside>
      </div>
    </>
  );
}
