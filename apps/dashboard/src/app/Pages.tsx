import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { common, useMessages } from '../i18n/index.ts';
import { Link, PATHS } from '../routing/index.ts';
import { EmptyState, PageHead } from '../ui/index.ts';
import { PAGES } from './features.ts';
import { frame } from './messages.ts';
import { PageFailure } from './PageFailure.tsx';
import { usePage } from './usePage.ts';

/** A new page begins at its top, and a screen reader at its title. */
function useFreshStart(): void {
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [location]);
}

function NotFound(): ReactNode {
  const messages = useMessages(frame);
  return (
    <>
      <PageHead title={messages.notFound} />
      <EmptyState
        title={messages.notFound}
        text={messages.notFoundText}
        actions={
          <Link to={PATHS.overview} className="button button--secondary">
            {messages.goOverview}
          </Link>
        }
      />
    </>
  );
}

/** The page that the address names. */
export function Pages(): ReactNode {
  const messages = useMessages(common);
  const page = usePage();
  useFreshStart();
  useEffect(() => {
    document.title = page === null ? 'Galley' : `${messages.page[page]} · Galley`;
  }, [messages, page]);
  return (
    <PageFailure>
      {/* A page's chunk comes within a moment; a placeholder that flashes would be worse than paper. */}
      <Suspense fallback={null}>
        <Switch>
          {PAGES.map(({ path, component }) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </PageFailure>
  );
}
