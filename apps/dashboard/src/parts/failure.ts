import { asApiError } from '../api/index.ts';
import { errorJoin, useErrorWords } from '../i18n/errors.ts';
import { useMessages } from '../i18n/index.ts';
import { showToast } from '../ui/index.ts';

/** Shows a failed call as a toast: what its code means and what to do, in the page's language. */
export function useShowFailure(): (error: unknown) => void {
  const words = useErrorWords();
  const { sentence } = useMessages(errorJoin);
  return (error) => {
    const { title, remedy } = words(asApiError(error).code);
    showToast({ kind: 'failed', sentence: sentence(title, remedy) });
  };
}
