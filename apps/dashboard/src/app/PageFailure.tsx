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

interface State {
  /** Where the error happened; another address begins without it. */
  readonly location: string;
  readonly error: Error | null;
}

/** A page that fails leaves the frame standing, says so and offers to load it again. */
export class PageFailure extends Component<{ location: string; children: ReactNode }, State> {
  override state: State = { location: this.props.location, error: null };

  static getDerivedStateFromProps(props: { readonly location: string }, state: State): State | null {
    return props.location === state.location ? null : { location: props.location, error: null };
  }

  static getDerivedStateFromError(error: unknown): Pick<State, 'error'> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : <Failed detail={this.state.error.message} />;
  }
}
