import { describe, expect, it } from 'vitest';
import { importFault } from './import-direction.mjs';

describe('importFault', () => {
  it.each([
    ['packages/contract/src/task.ts', 'zod/mini'],
    ['packages/contract/src/task.ts', './states.ts'],
    ['packages/contract/src/task.test.ts', 'vitest'],
    ['packages/core/src/queue.ts', '@galley/contract'],
    ['packages/core/src/queue.ts', 'ioredis'],
    ['packages/core/src/testing/fixtures/handlers.mjs', '@galley/core'],
    ['packages/core/src/testing/fixtures/lock-holder.mjs', '@galley/core/locks/rabbitmq'],
    ['apps/server/src/main.ts', '@galley/blobs'],
    ['apps/server/src/main.ts', '@galley/core/locks/rabbitmq'],
    ['apps/worker/src/main.ts', '@galley/ocr'],
    ['apps/server/src/main.test.ts', '@galley/core/testing'],
    ['apps/dashboard/src/app/app.tsx', '../features/tasks/list.tsx'],
    ['apps/dashboard/src/features/tasks/list.tsx', './row.tsx'],
    ['apps/dashboard/src/features/tasks/parts/row.tsx', '../model.ts'],
    ['apps/dashboard/src/features/tasks/list.tsx', '../../ui/button.tsx'],
    ['e2e/tests/setup.ts', '../../scripts/lib/stack.mjs'],
    ['scripts/start.mjs', '@galley/core'],
  ])('lets %s import %s', (file, specifier) => {
    expect(importFault(file, specifier)).toBeNull();
  });

  it.each([
    ['packages/contract/src/task.ts', '@galley/core'],
    ['packages/contract/src/task.ts', 'ioredis'],
    ['packages/core/src/queue.ts', '@galley/server'],
    ['packages/core/src/queue.ts', '@galley/core'],
    ['packages/core/src/queue.ts', '@galley/blobs'],
    ['packages/ocr/src/engine.ts', '@galley/core'],
    ['packages/blobs/src/local.ts', '@galley/core'],
    ['apps/server/src/main.ts', '@galley/ocr'],
    ['apps/server/src/main.ts', '@galley/worker'],
    ['apps/dashboard/src/api/client.ts', '@galley/core'],
    ['apps/server/src/main.ts', '@galley/core/testing'],
    ['apps/server/src/main.ts', '@galley/core/dist/queue.js'],
    ['apps/server/src/main.ts', '../../../packages/core/src/queue.ts'],
    ['packages/core/src/queue.ts', '../../../scripts/lib/stack.mjs'],
    ['apps/dashboard/src/features/tasks/list.tsx', '../reader/model.ts'],
    ['apps/dashboard/src/ui/button.tsx', '../features/tasks/model.ts'],
    ['apps/dashboard/src/store/store.ts', '../features/tasks/model.ts'],
  ])('refuses %s importing %s', (file, specifier) => {
    expect(importFault(file, specifier)).toMatch(/\w/);
  });
});
