import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { turboPath } from '../build.mjs';
import { runQuietly } from '../command.mjs';
import { ensureRedisServer, loadRedisServer } from '../launcher/provide-redis.mjs';
import { ensureChromium } from './chromium.mjs';
import { countPlaywright, countVitest } from './count-tests.mjs';
import { ensurePrometheus } from './prometheus.mjs';
import { ensureRabbitServer } from './rabbitmq.mjs';

/**
 * @typedef {object} StepsOptions
 * @property {string} root
 * @property {string} workDirectory for reports; removed afterwards
 * @property {string} logDirectory for the logs of what is installed
 * @property {(line: string) => void} say
 */

/**
 * What `npm test` checks, in this order: what is quick first, and nothing before what it leans on. Lint with types reads what the build wrote.
 * @param {StepsOptions} options
 * @returns {import('./run-steps.mjs').Step[]}
 */
export function testSteps(options) {
  const { root } = options;
  const program = (/** @type {string} */ name) => path.join(root, 'node_modules/.bin', name);
  const command = (/** @type {string} */ name, /** @type {string[]} */ args) => () => runCommand(root, program(name), args);
  return [
    { name: 'format', title: 'format and order of imports', run: command('biome', ['check', '.']) },
    {
      name: 'build',
      title: 'build of every package, with its types',
      run: () => runCommand(root, turboPath(root), ['run', 'build', '--output-logs=new-only']),
    },
    { name: 'lint', title: 'lint with types, import direction', run: command('oxlint', []) },
    { name: 'scripts', title: 'types of the scripts', run: command('tsc', ['-p', 'scripts']) },
    {
      name: 'deploy',
      title: 'compose file, Dockerfile, Prometheus',
      run: async () => {
        await ensurePrometheus(options);
        return runCommand(root, process.execPath, ['scripts/check-deploy.mjs']);
      },
    },
    { name: 'vitest', title: 'unit and integration tests', run: () => runVitest(options) },
    { name: 'e2e', title: 'browser tests over the whole stack', run: () => runPlaywright(options) },
  ];
}

/**
 * @param {string} root
 * @param {string} command
 * @param {string[]} args
 */
async function runCommand(root, command, args) {
  const answer = await runQuietly({ command, args, cwd: root, env: { TURBO_TELEMETRY_DISABLED: '1' } });
  return { passed: answer.ok ? 1 : 0, failed: answer.ok ? 0 : 1, output: `${answer.output.trimEnd()}\n(${answer.ending})` };
}

/** @param {StepsOptions} options */
async function runVitest({ root, workDirectory, logDirectory, say }) {
  const { findRedisServer } = await loadRedisServer(root);
  await ensureRedisServer({ findRedisServer, logDirectory, say });
  await ensureRabbitServer({ logDirectory, say });
  const report = path.join(workDirectory, 'vitest.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const answer = await runQuietly({ command: path.join(root, 'node_modules/.bin/vitest'), args, cwd: root });
  return judge(answer, countVitest(await readReport(report)));
}

/** @param {StepsOptions} options */
async function runPlaywright({ root, workDirectory, logDirectory, say }) {
  const chromium = await ensureChromium({ root, logDirectory, say });
  const report = path.join(workDirectory, 'playwright.json');
  const answer = await runQuietly({
    command: path.join(root, 'node_modules/.bin/playwright'),
    args: ['test', '--reporter=list,json'],
    cwd: path.join(root, 'e2e'),
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report, GALLEY_CHROMIUM: chromium },
    // It stops the stack that it has started on Ctrl-C only.
    stopSignal: 'SIGINT',
  });
  return judge(answer, countPlaywright(await readReport(report)));
}

/**
 * A run that failed without a failed test, as when a file could not be read or something was left running, failed all the same.
 * @param {import('../command.mjs').CommandAnswer} answer
 * @param {import('./count-tests.mjs').TestCount} count
 */
function judge(answer, count) {
  const failed = answer.ok ? count.failed : Math.max(1, count.failed);
  return { ...count, failed, output: `${answer.output.trimEnd()}\n(${answer.ending})` };
}

/** @param {string} file */
async function readReport(file) {
  return await readFile(file, 'utf8').catch(() => '{}');
}
