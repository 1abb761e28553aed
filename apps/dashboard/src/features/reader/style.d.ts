import 'react';

declare module 'react' {
  interface CSSProperties {
    /** Width of the reader's text pane. */
    '--reader-text'?: string;
  }
}
