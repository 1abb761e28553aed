import { type ReactNode, Suspense, useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { common, useMessages } from '../i18n/index.ts';
import { Link, PATHS } from '../routing/index.ts';
import { PageHead } from '../ui/index.ts';
import { PAGES } from './features.ts';
import { frame } from './messages.ts';
import { PageFailure } from './PageFailure.tsx';
import { usePage } from './usePage.ts';

/** Where the last arrival was, for all of the page's life: the first one is the browser's own, even if its page never came. */
let arrivedAt = window.location.pathname;
let wentBack = false;
window.addEventListener('popstate', () => {
  wentBack = true;
});

/** Moves the focus to the title, once there is one and no dialog is open. Returns the undoing of the wait. */
function focusTitle(): (() => void) | undefined {
  const title = (): HTMLElement | null => (document.querySelector('[role=dialog]') === null ? document.querySelector('h1') : null);
  const first = title();
  if (first !== null) {
    first.focus({ preventScroll: true });
    return undefined;
  }
  // A page that fills the window puts its title into the top bar, which makes room for it first.
  const observer = new MutationObserver(() => {
    const late = title();
    if (late === null) return;
    observer.disconnect();
    // Whoever has gone elsewhere meanwhile stays there.
    if (document.activeElement === document.body) late.focus({ preventScroll: true });
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/**
 * A new page begins at its top, and a screen reader at its title; going back, the browser finds the place by itself.
 * It stands beside the page inside Suspense, so it is mounted when the page's chunk has come and its title is there.
 */
function Arrival({ location }: { location: string }): ReactNode {
  useEffect(() => {
    const same = arrivedAt === location;
    arrivedAt = location;
    const back = wentBack;
    wentBack = false;
    if (same) return undefined;
    if (!back) window.scrollTo(0, 0);
    return focusTitle();
  }, [location]);
  return null;
}

function NotFound(): ReactNode {
  const messages = useMessages(frame);
  return (
    <>
      <PageHead title={messages.notFound} />
      <p className="not-found">
        {messages.notFoundText}{' '}
        <Link to={PATHS.overview} className="link">
          {messages.goOverview}
        </Link>
      </p>
    </>
  );
}

/** The page that the address names. */
export function Pages(): ReactNode {
  const messages = useMessages(common);
  const page = usePage();
  const [location] = useLocation();
  useEffect(() => {
    document.title = page === null ? 'Galley' : `${messages.page[page]} · Galley`;
  }, [messages, page]);
  return (
    <PageFailure location={location}>
      {/* A page's chunk comes within a moment; a placeholder that flashes would be worse than paper. */}
      <Suspense fallback={null}>
        <Switch>
          {PAGES.map(({ path, component }) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route component={NotFound} />
        </Switch>
        <Arrival key={location} location={location} />
      </Suspense>
    </PageFailure>
  );
}
