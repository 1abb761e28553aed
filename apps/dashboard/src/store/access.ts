import { common, useMessages } from '../i18n/index.ts';
import { useStore } from './store.ts';

export function useIsAdmin(): boolean {
  return useStore((state) => state.session.role === 'admin');
}

/** Why an admin's action may not be done now, as a sentence for its tooltip; undefined where it may. */
export function useAdminBlocked(): string | undefined {
  const messages = useMessages(common);
  const admin = useIsAdmin();
  const lost = useStore((state) => state.connection.freshness === 'lost');
  if (!admin) return messages.adminOnly;
  return lost ? messages.offlineOnly : undefined;
}
