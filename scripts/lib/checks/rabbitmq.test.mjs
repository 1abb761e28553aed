import { expect, it } from 'vitest';
import { ensureRabbitServer } from './rabbitmq.mjs';

it('says nothing of a RabbitMQ that is there', async () => {
  /** @type {string[]} */
  const said = [];
  const options = { logDirectory: '/nowhere', say: (/** @type {string} */ line) => said.push(line) };
  expect(await ensureRabbitServer({ ...options, program: process.execPath })).toBe(true);
  expect(said).toEqual([]);
});

it('says what is left out, and how to have it, where it may not be installed', async () => {
  /** @type {string[]} */
  const said = [];
  const options = { logDirectory: '/nowhere', say: (/** @type {string} */ line) => said.push(line) };
  expect(await ensureRabbitServer({ ...options, program: '/nowhere/rabbitmq-server', mayInstall: async () => false })).toBe(false);
  expect(said).toEqual(['Tests of locks on RabbitMQ are left out: it is not installed. Debian: sudo apt-get install -y rabbitmq-server']);
});
