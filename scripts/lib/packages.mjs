import { access, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { lastLines, runQuietly } from './command.mjs';
import { PlainFailure } from './failure.mjs';

const POLICY_FILE = '/usr/sbin/policy-rc.d';

/** Whether packages can be installed without asking: root on Debian, Ubuntu or a relative of theirs. */
export async function mayInstallPackages() {
  if (process.getuid?.() !== 0) return false;
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(release);
}

/**
 * Installs a Debian package. A package that brings a service must not leave that running, since nobody asked for it: Galley starts its own.
 * @param {{ name: string, service?: string, logDirectory: string, say: (line: string) => void }} options
 */
export async function installPackage({ name, service, logDirectory, say }) {
  say(`Installing the package ${name} with apt-get ...`);
  const logFile = path.join(logDirectory, `apt-${name}.log`);
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const removePolicy = await forbidServiceStarts();
  try {
    const update = await runQuietly({ command: 'apt-get', args: ['update'], cwd: '/', env, logFile: `${logFile}.update` });
    const install = await runQuietly({
      command: 'apt-get',
      args: ['install', '-y', '--no-install-recommends', name],
      cwd: '/',
      env,
      logFile,
    });
    if (!install.ok) {
      const output = lastLines(`${update.ok ? '' : update.output}\n${install.output}`, 15);
      throw new PlainFailure(`apt-get install ${name} failed (${install.ending}). Its last lines:\n${output}\nAll of it is in ${logFile}.`);
    }
    if (service !== undefined) await disableService(service);
  } finally {
    await removePolicy();
  }
}

/** Debian asks this file before it starts a service; 101 says no. One that is there already is the administrator's and stays. */
async function forbidServiceStarts() {
  const exists = await access(POLICY_FILE).then(
    () => true,
    () => false,
  );
  if (exists) return async () => undefined;
  await writeFile(POLICY_FILE, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rm(POLICY_FILE, { force: true });
}

/**
 * Keeps the service from starting at the next boot. Without systemd there is nothing to disable, and the command is not there.
 * @param {string} service
 */
async function disableService(service) {
  await runQuietly({ command: 'systemctl', args: ['disable', '--now', service], cwd: '/' });
}
