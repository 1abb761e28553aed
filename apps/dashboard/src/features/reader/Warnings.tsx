import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { reader } from './messages.ts';

/** What a person should know about how the page and its document were read; the server's words, which are English. */
export function Warnings({ warnings }: { warnings: readonly string[] }): ReactNode {
  const messages = useMessages(reader);
  if (warnings.length === 0) return null;
  return (
    <section className="text-warnings type-control" aria-label={messages.warnings}>
      <TriangleAlert size={16} strokeWidth={1.75} aria-hidden="true" />
      <ul lang="en">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </section>
  );
}
