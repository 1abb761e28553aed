import { type ReactNode, useEffect, useState } from 'react';
import { getReadiness, getSystem, listWorkers, useResource } from '../../api/index.ts';
import { useErrorWords } from '../../i18n/errors.ts';
import { common, formatCount, useMessages } from '../../i18n/index.ts';
import { WorkerTable } from '../../parts/WorkerTable.tsx';
import { workerMessages } from '../../parts/workerMessages.ts';
import { useStore } from '../../store/index.ts';
import { Alert, PageHead, SectionHead } from '../../ui/index.ts';
import { AlertSettings } from './AlertThresholds.tsx';
import { Audit } from './Audit.tsx';
import { ApiLinks, BrowserSettings } from './BrowserSettings.tsx';
import { system } from './messages.ts';
import { RedisFacts } from './RedisFacts.tsx';
import { QueueFacts, ServerFacts } from './ServerFacts.tsx';
import './system.css';

const WORKERS_EVERY_MS = 2_000;
const READINESS_EVERY_MS = 5_000;
const SYSTEM_EVERY_MS = 5_000;

function AllWorkers(): ReactNode {
  const messages = useMessages(system);
  const { title } = useMessages(workerMessages);
  const words = useErrorWords();
  const { data, error } = useResource('workers', listWorkers, WORKERS_EVERY_MS);
  const known = data !== undefined;
  // The place that the address names is there only once the page has been drawn.
  useEffect(() => {
    if (known && window.location.hash === '#workers') document.getElementById('workers')?.scrollIntoView();
  }, [known]);
  return (
    <section className="system-workers">
      <SectionHead
        title={title}
        id="workers"
        meta={data === undefined ? undefined : messages.workersMeta(formatCount(data.workers.length))}
      />
      {data === undefined && error !== undefined && <Alert kind="error" what={messages.failed} why={words(error.code).remedy} />}
      {data !== undefined && <WorkerTable workers={data.workers} />}
    </section>
  );
}

/** What Galley runs on, and what this browser remembers. */
export default function SystemPage(): ReactNode {
  const { page } = useMessages(common);
  const messages = useMessages(system);
  const queue = useStore((state) => state.queue);
  const { data: known, reload } = useResource(`system ${queue}`, (signal) => getSystem(queue, signal), SYSTEM_EVERY_MS);
  const [actions, setActions] = useState(0);
  const saved = (): void => {
    reload();
    setActions((count) => count + 1);
  };
  const { data: readiness } = useResource('readiness', getReadiness, READINESS_EVERY_MS);
  return (
    <>
      <PageHead title={page.system} sub={readiness === undefined ? ' ' : messages.sub(readiness.version)} />
      <AllWorkers />
      <div className="system-columns">
        <div className="system-column">
          <ServerFacts readiness={readiness} system={known} />
          <RedisFacts redis={known?.redis} />
          <QueueFacts system={known} />
        </div>
        <div className="system-column">
          <AlertSettings stored={known?.alerts} onSaved={saved} />
          <BrowserSettings />
          <ApiLinks />
        </div>
      </div>
      <Audit actions={actions} />
    </>
  );
}
