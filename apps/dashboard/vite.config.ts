import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { compressed } from './build/compress.ts';
import { firstLoadBudget } from './build/firstLoad.ts';
import { oneReact } from './build/oneReact.ts';

const BASE = /\/src\/(main\.tsx|ui\/(StateMark|Rich|Segments|toasts)\.tsx?|store\/\w+\.ts|parts\/failure\.ts)$/;
const SERVER = 'http://127.0.0.1:7300';

/** Asks for the text face before the style sheet has been read: its name carries a hash, so the page cannot name it itself. */
function preloadTextFace(): Plugin {
  return {
    name: 'galley:preload-text-face',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) => {
        const face = Object.keys(bundle ?? {}).find((file) => file.includes('source-sans-3-latin-wght-normal'));
        if (face === undefined) return [];
        return [
          { tag: 'link', attrs: { rel: 'preload', href: `/${face}`, as: 'font', type: 'font/woff2', crossorigin: true }, injectTo: 'head' },
        ];
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), preloadTextFace(), firstLoadBudget(), oneReact(), compressed()],
  build: {
    target: 'es2023',
    // The content security policy allows no data: fonts, styles or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 420,
    rolldownOptions: {
      output: {
        // One chunk of all that the entry needs, and of the small parts that every page shares with it: apart they weigh more.
        codeSplitting: { groups: [{ name: 'base', test: BASE }] },
      },
    },
  },
  server: {
    port: 7301,
    proxy: {
      '/api': SERVER,
      '/socket.io': { target: SERVER, ws: true },
      '/metrics': SERVER,
      '/healthz': SERVER,
      '/readyz': SERVER,
    },
  },
  test: { name: 'dashboard', include: ['{build,src}/**/*.test.{ts,tsx}'] },
});
