import type { ReactNode } from 'react';
import { common, useMessages } from '../../i18n/index.ts';
import { PageHead } from '../../ui/index.ts';

export default function SystemPage(): ReactNode {
  const messages = useMessages(common);
  return <PageHead title={messages.page.system} />;
}
