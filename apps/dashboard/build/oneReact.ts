import type { Plugin, Rolldown } from 'vite';

/** What hooks are called on; two of them in one page, or one made for servers, and the first hook finds nobody who renders. */
const REACT = /\/react\/cjs\/react\.(?!jsx|compiler)[\w.-]+\.js$/;
const FOR_SERVERS = /\.react-server\./;

/** The Reacts that went into the chunks, by their modules. */
export function reactsIn(chunks: readonly Pick<Rolldown.OutputChunk, 'moduleIds'>[]): readonly string[] {
  return [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => REACT.test(id.replaceAll('\\', '/')))))].toSorted();
}

/** Ends a build whose page could not be drawn because it holds more than the one React that browsers need. */
export function oneReact(): Plugin {
  return {
    name: 'galley:one-react',
    apply: 'build',
    writeBundle(_options, bundle) {
      const reacts = reactsIn(Object.values(bundle).filter((output) => output.type === 'chunk'));
      if (reacts.length === 1 && !reacts.some((id) => FOR_SERVERS.test(id))) return;
      this.error(
        `The page needs one React, made for browsers; it has ${reacts.length}: ${reacts.join(', ')}. Install the packages anew and build again.`,
      );
    },
  };
}
