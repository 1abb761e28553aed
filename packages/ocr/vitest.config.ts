import { defineConfig } from 'vitest/config';

// Threads, because that is where the worker runs this package: PDFium, sharp and ONNX Runtime must all bear it.
export default defineConfig({
  test: { include: ['src/**/*.test.ts'], pool: 'threads', testTimeout: 60_000, hookTimeout: 60_000 },
});
