import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useMessages } from '../i18n/index.ts';
import { useStore } from '../store/index.ts';
import { onToast } from '../ui/toasts.ts';
import { frame } from './messages.ts';

const SPEAKS_EVERY_MS = 10_000;

function useConnectionChanges(): void {
  const messages = useMessages(frame);
  const freshness = useStore((state) => state.connection.freshness);
  const announced = useStore((state) => state.announced);
  const wasLost = useRef(false);
  useEffect(() => {
    if (freshness === 'lost' && !wasLost.current) announced(messages.streamLost);
    if (freshness === 'live' && wasLost.current) announced(messages.liveAgain);
    if (freshness === 'lost' || freshness === 'live') wasLost.current = freshness === 'lost';
  }, [freshness, announced, messages]);
}

/** The one polite region. It speaks alerts, connection changes and ends of operations, at most every 10 s. */
export function LiveRegion(): ReactNode {
  const waiting = useStore((state) => state.announcements);
  const spoken = useStore((state) => state.announcementsSpoken);
  const announced = useStore((state) => state.announced);
  const [text, setText] = useState('');
  const lastAt = useRef(Number.NEGATIVE_INFINITY);
  useConnectionChanges();
  useEffect(() => onToast((toast) => announced(toast.sentence)), [announced]);
  useEffect(() => {
    if (waiting.length === 0) return;
    const wait = Math.max(0, lastAt.current + SPEAKS_EVERY_MS - performance.now());
    const timer = window.setTimeout(() => {
      lastAt.current = performance.now();
      setText(waiting.join(' '));
      spoken(waiting.length);
    }, wait);
    return () => window.clearTimeout(timer);
  }, [waiting, spoken]);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
