import { useCallback } from 'react';
import { asApiError } from '../api/index.ts';
import { useLanguage } from '../i18n/index.ts';
import { showToast } from '../ui/index.ts';

/** Shows a failed call as a toast: what its code means and what to do, in the page's language. */
export function useShowFailure(): (error: unknown) => void {
  const language = useLanguage();
  return useCallback(
    (error) => {
      const failure = asApiError(error);
      import('../i18n/errors.ts').then(
        ({ errorSentence }) => showToast({ kind: 'failed', sentence: errorSentence(failure.code, language) }),
        // The words themselves cannot be had: the error's own are better than none.
        () => showToast({ kind: 'failed', sentence: failure.message }),
      );
    },
    [language],
  );
}
