import { runQuietly } from '../command.mjs';
import { installPackage, mayInstallPackages } from '../packages.mjs';

/**
 * Prometheus and promtool, for the tests of metrics and rules: those that are there, else fresh ones where they may be installed unasked. Where
 * they may not, those tests are left out with a notice.
 * @param {{ logDirectory: string, say: (line: string) => void }} options
 */
export async function ensurePrometheus({ logDirectory, say }) {
  const found = await runQuietly({ command: 'promtool', args: ['--version'], cwd: '/' });
  if (found.ok) return;
  if (await mayInstallPackages()) {
    // A mirror that is away must not fail tests that can do without.
    await installPackage({ name: 'prometheus', service: 'prometheus', logDirectory, say }).catch((/** @type {Error} */ error) =>
      say(error.message),
    );
  } else {
    say('Prometheus is not installed (Debian: sudo apt-get install -y prometheus), so what only it can check is left out.');
  }
}
