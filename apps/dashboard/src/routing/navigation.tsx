import { QUEUE_NAME } from '@galley/contract';
import type { ComponentProps, ReactNode } from 'react';
import { useCallback } from 'react';
import { useLocation, useSearchParams, Link as WouterLink } from 'wouter';
import { DEFAULT_QUEUE, useStore } from '../store/index.ts';
import { onQueue } from './paths.ts';

/** A link inside the dashboard; keeps the shown queue. `to` is a path of paths.ts. */
export function Link({ to, ...rest }: { to: string; children?: ReactNode } & Omit<ComponentProps<'a'>, 'href'>): ReactNode {
  const href = useHref(to);
  return <WouterLink {...rest} href={href} />;
}

/** The address of a path on the shown queue, for what is not a Link. */
export function useHref(path: string): string {
  const queue = useStore((state) => state.queue);
  return onQueue(path, queue, DEFAULT_QUEUE);
}

/** Goes to a path of paths.ts on the shown queue. */
export function useGo(): (path: string, options?: { replace?: boolean }) => void {
  const [, navigate] = useLocation();
  return useCallback(
    (path, options) => navigate(onQueue(path, useStore.getState().queue, DEFAULT_QUEUE), { replace: options?.replace === true }),
    [navigate],
  );
}

/** The queue that the address names; the default where it names none or nonsense. */
export function useQueueInAddress(): string {
  const [search] = useSearchParams();
  const named = search.get('queue');
  return named !== null && QUEUE_NAME.test(named) ? named : DEFAULT_QUEUE;
}

export { useParams, useSearchParams } from 'wouter';
