import type { ReactNode } from 'react';
import { formatBytes, formatCount, useFormats, useMessages } from '../../i18n/index.ts';
import { SegmentedProgress } from '../../ui/index.ts';
import { upload } from './messages.ts';
import { answeredOf, bytesOf, speedOf, type UploadCounts, type UploadState } from './upload.model.ts';
import { useUploads } from './uploads.ts';

const PARTS: readonly (readonly [UploadState, string])[] = [
  ['accepted', 'var(--completed)'],
  ['duplicate', 'var(--ink-2)'],
  ['refused', 'var(--dead)'],
  ['failed', 'var(--retrying)'],
  ['stopped', 'var(--cancelled)'],
  ['uploading', 'var(--processing)'],
  ['queued', 'var(--tray-2)'],
];
/** A guess under that many bytes says nothing. */
const WORTH_A_GUESS = 2_000_000;

function useSpeed(): { speed: string | null; left: string | null } {
  const messages = useMessages(upload);
  const formats = useFormats();
  const samples = useUploads((view) => view.samples);
  const uploads = useUploads((view) => view.uploads);
  const speed = speedOf(samples);
  if (speed === null || speed < 1) return { speed: null, left: null };
  const { left } = bytesOf(uploads);
  const guess = left < WORTH_A_GUESS ? null : Math.ceil(left / speed / 10) * 10_000;
  const seconds = left / speed < 20 ? Math.ceil(left / speed) * 1_000 : guess;
  return {
    speed: messages.speed(formatBytes(speed)),
    left: guess === null || seconds === null ? null : messages.left(formats.whole(seconds)),
  };
}

/** How many files have their answer, how fast it goes, and the bar of all. */
export function Totals({ counts }: { counts: UploadCounts }): ReactNode {
  const messages = useMessages(upload);
  const paused = useUploads((view) => view.paused);
  const total = useUploads((view) => view.uploads.length);
  const { speed, left } = useSpeed();
  const unfinished = counts.queued + counts.uploading;
  const word = unfinished === 0 ? messages.finished : paused && counts.uploading === 0 ? messages.pausedWord : null;
  return (
    <div className="upload-totals">
      <div className="upload-count">
        <p>
          <span className="type-figure-xl">{formatCount(answeredOf(counts))}</span>{' '}
          <span className="upload-count-of">{total === 1 ? messages.answeredOne : messages.answered(formatCount(total))}</span>
        </p>
        <p className="upload-speed">
          {word ?? speed}
          {word === null && left !== null && <span>{left}</span>}
        </p>
      </div>
      <SegmentedProgress
        label={messages.progress}
        parts={PARTS.filter(([state]) => state !== 'stopped' || counts.stopped > 0).map(([state, colour]) => ({
          id: state,
          label: messages.parts[state],
          count: counts[state],
          colour,
        }))}
      />
    </div>
  );
}
