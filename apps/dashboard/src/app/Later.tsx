import type { ReactNode } from 'react';
import { useMessages } from '../i18n/index.ts';
import { Toasts } from '../ui/index.ts';
import { GlobalDrop } from './GlobalDrop.tsx';
import { LiveRegion } from './LiveRegion.tsx';
import { frame } from './messages.ts';
import { Operations } from './Operations.tsx';
import { registerFeatures } from './registerFeatures.ts';
import { type Overlay, useFrameKeys } from './useFrameKeys.ts';

registerFeatures();

/** What of the frame is not seen before something happens: keys, bars of operations, notices, the spoken region, the drop zone. */
export default function Later({ onOverlay }: { onOverlay: (overlay: Overlay) => void }): ReactNode {
  const { notices } = useMessages(frame);
  useFrameKeys(onOverlay);
  return (
    <>
      <Operations />
      <Toasts label={notices} />
      <LiveRegion />
      <GlobalDrop />
    </>
  );
}
