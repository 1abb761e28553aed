import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { LANGUAGE_TAGS, LanguageProvider } from '../i18n/index.ts';
import { patiently } from '../loading/patiently.ts';
import { useQueueInAddress } from '../routing/index.ts';
import { useStore, wire } from '../store/index.ts';
import { startWire } from '../store/wire.ts';
import { Frame } from './Frame.tsx';
import { Pages } from './Pages.tsx';
import { useSession } from './session.ts';
import { useAppliedTheme } from './theme.ts';

// Most never see it, and the words of every error come with it.
const SignIn = lazy(patiently(async () => ({ default: (await import('./SignIn.tsx')).SignIn })));

function useFollowedQueue(): void {
  const queue = useQueueInAddress();
  useEffect(() => {
    useStore.getState().queueChosen(queue);
    wire.follow(queue);
  }, [queue]);
}

function Signed(): ReactNode {
  useFollowedQueue();
  const status = useStore((state) => state.session.status);
  // Before the session is known the server would only refuse the socket.
  const known = status !== 'unknown';
  useEffect(() => (known ? startWire() : undefined), [known]);
  return (
    <Frame>
      <Pages />
    </Frame>
  );
}

/** The whole page: language and theme around it, sign-in before it where the server wants a token. */
export function App(): ReactNode {
  const language = useStore((state) => state.preferences.language);
  const status = useStore((state) => state.session.status);
  useAppliedTheme();
  useSession();
  useEffect(() => {
    document.documentElement.lang = LANGUAGE_TAGS[language];
  }, [language]);
  return (
    <LanguageProvider language={language}>
      {status === 'signedOut' ? (
        <Suspense fallback={null}>
          <SignIn />
        </Suspense>
      ) : (
        <Signed />
      )}
    </LanguageProvider>
  );
}
