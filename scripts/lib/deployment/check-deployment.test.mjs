import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkDeployment } from './check-deployment.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** @type {string} */
let directory;

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'galley-deployment-'));
  for (const name of ['docker-compose.yml', 'Dockerfile', 'package-lock.json', 'deploy']) {
    await cp(path.join(ROOT, name), path.join(directory, name), { recursive: true });
  }
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

it('finds nothing wrong with what is there', async () => {
  expect(await checkDeployment(directory)).toEqual([]);
});

it.each([
  ['docker-compose.yml', 'condition: service_healthy', 'condition: service_well', /\/services\/prometheus\/depends_on/],
  ['docker-compose.yml', 'healthcheck:', 'helthcheck:', /services\/prometheus.*must NOT have additional properties/],
  ['docker-compose.yml', "'127.0.0.1:9090:9090'", "'9090:9090'", /9090/],
  ['docker-compose.yml', './deploy/alerts.yml', './deploy/alarms.yml', /mounts deploy\/alarms\.yml, which does not exist/],
  ['Dockerfile', 'USER node', 'USER root', /runs as root/],
  ['Dockerfile', 'WORKDIR /galley', 'WORKDIRR /galley', /Dockerfile:\d+: Unknown instruction: WORKDIRR/],
  ['Dockerfile', 'COPY packages/ocr/package.json packages/ocr/\n', '', /packages\/ocr\/package\.json is not copied/],
  ['deploy/alerts.yml', 'galley_redis_up == 0', 'redis_up == 0', /"redis_up == 0" asks no metric of Galley/],
])('sees a fault planted in %s: %s', async (name, right, wrong, sentence) => {
  const file = path.join(directory, name);
  const text = await readFile(file, 'utf8');
  expect(text).toContain(right);
  await writeFile(file, text.replace(right, wrong));
  expect((await checkDeployment(directory)).join('\n')).toMatch(sentence);
});
