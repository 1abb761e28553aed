import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { validate } from 'dockerfile-utils';
import { runQuietly } from '../command.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PROMETHEUS_FILES = ['deploy/prometheus.yml', 'deploy/alerts.yml'];

/**
 * Everything that is wrong with the files in which Galley is deployed, one sentence each.
 * @param {string} directory where they lie
 * @returns {Promise<string[]>}
 */
export async function checkDeployment(directory) {
  const checks = [checkCompose, checkDockerfile, checkInstallLayer, checkMounts, checkRules];
  return (await Promise.all(checks.map((check) => check(directory)))).flat();
}

/** The compose file against its full schema and dclint's rules. @param {string} directory */
async function checkCompose(directory) {
  const answer = await runQuietly({
    command: path.join(ROOT, 'node_modules/.bin/dclint'),
    args: [path.join(directory, 'docker-compose.yml'), '--max-warnings', '0', '--formatter', 'compact'],
    cwd: ROOT,
  });
  return answer.ok ? [] : [answer.output.trim()];
}

/** @param {string} directory */
async function checkDockerfile(directory) {
  const text = await readFile(path.join(directory, 'Dockerfile'), 'utf8');
  const faults = validate(text).map(
    ({ message, range }) => `Dockerfile:${range.start.line + 1}: ${typeof message === 'string' ? message : message.value}`,
  );
  const last = /** @type {string} */ (text.split(/^FROM /m).at(-1));
  if (!/^USER (?!root)\S+/m.test(last)) faults.push('Dockerfile: its last stage runs as root; add USER node.');
  return faults;
}

/** The Dockerfile lists every workspace before it installs: `npm ci` refuses a lock that names more than it finds. @param {string} directory */
async function checkInstallLayer(directory) {
  const text = await readFile(path.join(directory, 'Dockerfile'), 'utf8');
  const lock = /** @type {{ packages: Record<string, { resolved?: string, link?: boolean }> }} */ (
    JSON.parse(await readFile(path.join(directory, 'package-lock.json'), 'utf8'))
  );
  const workspaces = Object.values(lock.packages).flatMap(({ link, resolved }) =>
    link === true && resolved !== undefined ? [resolved] : [],
  );
  return workspaces
    .filter((workspace) => !text.includes(`COPY ${workspace}/package.json ${workspace}/`))
    .map((workspace) => `Dockerfile: ${workspace}/package.json is not copied before npm ci.`);
}

/** A file that is mounted but missing becomes an empty folder in the container. @param {string} directory */
async function checkMounts(directory) {
  const text = await readFile(path.join(directory, 'docker-compose.yml'), 'utf8');
  const files = [...text.matchAll(/^\s*- \.\/(\S+?):/gm)].flatMap(([, file]) => (file === undefined ? [] : [file]));
  const missing = await Promise.all(files.map((file) => isMissing(path.join(directory, file))));
  return files.filter((_, index) => missing[index]).map((file) => `docker-compose.yml mounts ${file}, which does not exist.`);
}

/** Prometheus's own tool knows its files best, where it is installed; that they name metrics of Galley is checked everywhere. @param {string} directory */
async function checkRules(directory) {
  const [configuration = '', rules = ''] = await Promise.all(PROMETHEUS_FILES.map((file) => readFile(path.join(directory, file), 'utf8')));
  const expressions = [...rules.matchAll(/^\s*expr: (.+)$/gm)].map(([, expression = '']) => expression);
  const faults = expressions
    .filter((text) => !/\b(galley_[a-z_]+|up\{job="galley"\})/.test(text))
    .map((text) => `alerts.yml: "${text}" asks no metric of Galley.`);
  if (!configuration.includes('alerts.yml')) faults.push('prometheus.yml does not read alerts.yml.');
  return [
    ...faults,
    ...(await runPromtool(directory, ['check', 'config'], 'prometheus.yml')),
    ...(await runPromtool(directory, ['test', 'rules'], 'alerts.test.yml')),
  ];
}

/**
 * @param {string} directory
 * @param {string[]} words
 * @param {string} file
 * @returns {Promise<string[]>} nothing where Prometheus is not installed
 */
async function runPromtool(directory, words, file) {
  const tool = await runQuietly({ command: 'promtool', args: [...words, path.join(directory, 'deploy', file)], cwd: ROOT });
  return tool.ok || tool.ending.includes('could not be started') ? [] : [tool.output.trim()];
}

/** @param {string} file */
async function isMissing(file) {
  return await access(file).then(
    () => false,
    () => true,
  );
}
