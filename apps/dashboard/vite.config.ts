import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

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
  plugins: [react(), preloadTextFace()],
  build: {
    target: 'es2023',
    // The content security policy allows no data: fonts, styles or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 420,
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
  test: { name: 'dashboard', include: ['src/**/*.test.{ts,tsx}'] },
});
