import { Component, type ReactNode } from 'react';
import { useMessages } from '../i18n/index.ts';
import { Alert } from '../ui/index.ts';
import { frame } from './messages.ts';

function Failed({ detail }: { detail: string }): ReactNode {
  const messages = useMessages(frame);
  return (
    <Alert
      kind="error"
      role="alert"
      what={messages.loadFailed}
      why={`${messages.loadFailedWhy} (${detail})`}
      actions={
        <button type="button" className="link" onClick={() => window.location.reload()}>
          {messages.reload}
        </button>
      }
    />
  );
}

/** A page that fails leaves the frame standing, says so and offers to load it again. */
export class PageFailure extends Component<{ location: string; children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: Readonly<{ location: string }>): void {
    if (before.location !== this.props.location && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : <Failed detail={this.state.error.message} />;
  }
}
