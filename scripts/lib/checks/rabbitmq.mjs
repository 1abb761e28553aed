import { access, constants } from 'node:fs/promises';
import { describeFailure } from '../failure.mjs';
import { installPackage, mayInstallPackages } from '../packages.mjs';

/** Where Debian's package puts it; the tests start it from there, as their own node. */
const RABBITMQ_SERVER = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/**
 * The RabbitMQ that the tests of its locks start, installed where that may be done unasked. Nothing else needs it, so where it is not to be
 * had those tests are left out, and counted as skipped.
 * @param {{ logDirectory: string, say: (line: string) => void, program?: string, mayInstall?: () => Promise<boolean> }} options
 * @returns {Promise<boolean>} whether it is there
 */
export async function ensureRabbitServer({ logDirectory, say, program = RABBITMQ_SERVER, mayInstall = mayInstallPackages }) {
  if (await isExecutable(program)) return true;
  const reason = (await mayInstall()) ? await install(logDirectory, say) : 'it is not installed';
  if (await isExecutable(program)) return true;
  say(
    `Tests of locks on RabbitMQ are left out: ${reason ?? 'it is not where Debian puts it'}. Debian: sudo apt-get install -y rabbitmq-server`,
  );
  return false;
}

/**
 * @param {string} logDirectory
 * @param {(line: string) => void} say
 * @returns {Promise<string | null>} why not
 */
async function install(logDirectory, say) {
  try {
    await installPackage({ name: 'rabbitmq-server', service: 'rabbitmq-server', logDirectory, say });
    return null;
  } catch (error) {
    return describeFailure(error);
  }
}

/** @param {string} file */
async function isExecutable(file) {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
