import type { QueueSnapshot, Worker } from '@galley/contract';
import { FileText, Upload } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { getReadiness, submitDocuments, useResource } from '../../api/index.ts';
import { useMessages } from '../../i18n/index.ts';
import { useShowFailure } from '../../parts/failure.ts';
import { chooseFiles } from '../../registry/index.ts';
import { PATHS, readerPath, useGo } from '../../routing/index.ts';
import { useStore } from '../../store/index.ts';
import { Button, CopyButton, EmptyState, SectionHead, StateMark, showToast } from '../../ui/index.ts';
import { firstRun } from './firstRun.messages.ts';
import { readyFactsOf } from './firstRun.model.ts';
import './firstrun.css';
import { samplePage } from './samplePage.ts';

const READINESS_EVERY_MS = 5_000;

function SampleButton(): ReactNode {
  const messages = useMessages(firstRun);
  const go = useGo();
  const [busy, setBusy] = useState(false);
  const showFailure = useShowFailure();
  const read = async (): Promise<void> => {
    setBusy(true);
    try {
      const answer = await submitDocuments({ files: [await samplePage(messages.sampleFile)], fields: { priority: 'urgent' } });
      const [document] = answer.documents;
      if (document === undefined) showToast({ kind: 'failed', sentence: messages.sampleRefused });
      else go(readerPath(document.task_id));
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon={<FileText />} busy={busy} onClick={() => void read()}>
      {messages.sample}
    </Button>
  );
}

function Tray(): ReactNode {
  const messages = useMessages(firstRun);
  const go = useGo();
  return (
    <div className="first-run-tray">
      <EmptyState
        tray
        title={messages.title}
        text={messages.text}
        actions={
          <>
            <Button kind="primary" icon={<Upload />} onClick={() => chooseFiles() || go(PATHS.upload)}>
              {messages.choose}
            </Button>
            <SampleButton />
          </>
        }
      />
      <p className="first-run-formats type-meta">{messages.formats}</p>
    </div>
  );
}

function Ready({ snapshot, workers }: { snapshot: QueueSnapshot; workers: readonly Worker[] | undefined }): ReactNode {
  const messages = useMessages(firstRun);
  const authenticated = useStore((state) => state.session.authenticated);
  const { data: readiness } = useResource('readiness', getReadiness, READINESS_EVERY_MS);
  const facts = readyFactsOf({ snapshot, workers, readiness, authenticated, words: messages });
  return (
    <section>
      <SectionHead title={messages.ready} />
      <ul className="ready-list">
        {facts.map((fact) => (
          <li key={fact.id} className={fact.good ? 'ready-fact ready-fact--good' : 'ready-fact'}>
            {fact.good ? <StateMark state="completed" size={14} /> : <span aria-hidden="true">–</span>}
            <div>
              <p className="type-control">{fact.what}</p>
              <p className="ready-why type-meta">{fact.why}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Terminal(): ReactNode {
  const messages = useMessages(firstRun);
  const command = `curl -F file=@invoice.pdf \\\n  ${window.location.origin}/api/v1/documents`;
  return (
    <section className="first-run-terminal">
      <SectionHead sub title={messages.terminal} aside={<CopyButton text={command} label={messages.copyCommand} />} />
      <pre className="type-code">{command}</pre>
    </section>
  );
}

/** The first run: the empty tray to drop on, and whether all is there that it takes. */
export function FirstRun({ snapshot, workers }: { snapshot: QueueSnapshot; workers: readonly Worker[] | undefined }): ReactNode {
  return (
    <div className="first-run">
      <Tray />
      <div className="first-run-side">
        <Ready snapshot={snapshot} workers={workers} />
        <Terminal />
      </div>
    </div>
  );
}
