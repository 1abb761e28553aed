const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4_000;
/** Some half a minute in all: a server that is started again is back by then. */
const ATTEMPTS = 10;

/**
 * A part of the page that is fetched when it is needed, tried again while the server is away: what fails once is otherwise
 * kept as failed until the page is left.
 */
export function patiently<Part>(load: () => Promise<Part>): () => Promise<Part> {
  const attempt = async (left: number, pauseMs: number): Promise<Part> => {
    try {
      return await load();
    } catch (error) {
      if (left <= 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      return attempt(left - 1, Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
    }
  };
  return () => attempt(ATTEMPTS, FIRST_PAUSE_MS);
}
