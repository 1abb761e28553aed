import type { HistoryRange, QueueSnapshot } from '@galley/contract';
import { Pause, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { pauseQueue, resumeQueue } from '../../api/index.ts';
import { useMessages } from '../../i18n/index.ts';
import { useShowFailure } from '../../parts/failure.ts';
import { useAdminBlocked, useStore } from '../../store/index.ts';
import { Button, PHONE, Segments, useMedia } from '../../ui/index.ts';
import { overview } from './messages.ts';
import { RANGES } from './useOverview.ts';

/** Pauses or resumes the queue. What comes back is the newest snapshot, so the page need not wait for the next one. */
export function usePause(snapshot: QueueSnapshot | null): { busy: boolean; toggle: () => void } {
  const [busy, setBusy] = useState(false);
  const showFailure = useShowFailure();
  const toggle = async (): Promise<void> => {
    if (snapshot === null) return;
    setBusy(true);
    try {
      const next = await (snapshot.paused ? resumeQueue(snapshot.queue) : pauseQueue(snapshot.queue));
      useStore.getState().received({ kind: 'snapshot', snapshot: next }, Date.now());
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { busy, toggle: () => void toggle() };
}

export interface HeadActionsProps {
  snapshot: QueueSnapshot;
  range: HistoryRange;
  onRange: (range: HistoryRange) => void;
  busy: boolean;
  onPause: () => void;
}

export function HeadActions({ snapshot, range, onRange, busy, onPause }: HeadActionsProps): ReactNode {
  const messages = useMessages(overview);
  const blocked = useAdminBlocked();
  const phone = useMedia(PHONE);
  const label = snapshot.paused ? (phone ? messages.resumeShort : messages.resume) : phone ? messages.pauseShort : messages.pause;
  return (
    <>
      <Segments
        label={messages.range}
        value={range}
        choices={RANGES.map((value) => ({ value, label: messages.ranges[value] }))}
        onChoose={onRange}
      />
      <Button icon={snapshot.paused ? <Play /> : <Pause />} blocked={blocked} busy={busy} onClick={onPause}>
        {label}
      </Button>
    </>
  );
}
