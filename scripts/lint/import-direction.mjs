import path from 'node:path';

/**
 * Who may import whom (DESIGN §8). What is not named here is forbidden, so no import runs back up and none goes round.
 * @type {Readonly<Record<string, { packages: readonly string[], outside?: readonly string[] }>>}
 */
export const ALLOWED_IMPORTS = {
  'packages/contract': { packages: [], outside: ['zod'] },
  'packages/core': { packages: ['contract'] },
  'packages/ocr': { packages: ['contract'] },
  'packages/blobs': { packages: ['contract'] },
  'apps/server': { packages: ['contract', 'core', 'blobs'] },
  'apps/worker': { packages: ['contract', 'core', 'blobs', 'ocr'] },
  'apps/dashboard': { packages: ['contract'] },
  'apps/cli': { packages: ['contract', 'core'] },
  e2e: { packages: ['contract', 'core', 'blobs', 'ocr', 'server', 'worker'] },
  bench: { packages: ['contract', 'core', 'blobs', 'ocr', 'server', 'worker'] },
  chaos: { packages: ['contract', 'core'] },
};

/** Sub-paths that a package offers for tests only. */
const TEST_ENTRIES = ['testing'];
/** Sub-paths that a package offers to everybody, since they need something that most do without. */
const PUBLIC_ENTRIES = ['locks/rabbitmq'];
const TEST_FILE = /(\.(test|spec)\.tsx?$|(^|\/)(testing|test)\/|^(e2e|bench)\/|\.config\.ts$)/;

/**
 * Says why an import may not stand, or null when it may.
 * @param {string} file path of the importing file, from the repository's root, with `/`
 * @param {string} specifier what it imports, as written
 * @returns {string | null}
 */
export function importFault(file, specifier) {
  const workspace = workspaceOf(file);
  if (workspace === null) return null;
  return specifier.startsWith('.') ? relativeFault(file, workspace, specifier) : packageFault(file, workspace, specifier);
}

/** @param {string} file @returns {string | null} */
function workspaceOf(file) {
  return Object.keys(ALLOWED_IMPORTS).find((folder) => file.startsWith(`${folder}/`)) ?? null;
}

/** @param {string} file @param {string} workspace @param {string} specifier @returns {string | null} */
function packageFault(file, workspace, specifier) {
  const rules = ALLOWED_IMPORTS[workspace];
  if (rules === undefined) return null;
  const own = /^@galley\/([^/]+)(?:\/(.+))?$/.exec(specifier);
  if (own === null) {
    if (rules.outside === undefined || TEST_FILE.test(file) || specifier.startsWith('node:')) return null;
    const allowed = rules.outside.some((name) => specifier === name || specifier.startsWith(`${name}/`));
    return allowed ? null : `${workspace} stands on ${rules.outside.join(', ')} alone and may not import '${specifier}'.`;
  }
  const [, name = '', entry] = own;
  // A test may take its own package by name, to see what its users see.
  if (workspace.endsWith(`/${name}`) && (entry === undefined || PUBLIC_ENTRIES.includes(entry)) && TEST_FILE.test(file)) return null;
  if (!rules.packages.includes(name)) return `${workspace} may not import @galley/${name}: it may import ${listOf(rules.packages)}.`;
  if (entry === undefined || PUBLIC_ENTRIES.includes(entry)) return null;
  if (!TEST_ENTRIES.includes(entry)) return `Import @galley/${name} by its name: '${specifier}' reaches into its files.`;
  return TEST_FILE.test(file) ? null : `'${specifier}' is for tests; code that ships may not import it.`;
}

/** @param {string} file @param {string} workspace @param {string} specifier @returns {string | null} */
function relativeFault(file, workspace, specifier) {
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  if (!target.startsWith(`${workspace}/`)) {
    const toScripts = (workspace === 'e2e' || workspace === 'bench') && target.startsWith('scripts/');
    return toScripts ? null : `'${specifier}' leaves ${workspace}: import the other package by its name.`;
  }
  return workspace === 'apps/dashboard' ? dashboardFault(file, target) : null;
}

/** @param {string} file @param {string} target @returns {string | null} */
function dashboardFault(file, target) {
  const wanted = featureOf(target);
  if (wanted === null) return null;
  const from = /^apps\/dashboard\/src\/([^/]+)\//.exec(file)?.[1];
  const own = featureOf(file);
  if (own !== null && own !== wanted)
    return `Features do not import each other: ${own} may not import ${wanted}. Move what both need to ui, store or api.`;
  if (own === null && from !== undefined && from !== 'app')
    return `${from} may not import the feature ${wanted}: only app puts features together.`;
  return null;
}

/** @param {string} file @returns {string | null} */
function featureOf(file) {
  return /^apps\/dashboard\/src\/features\/([^/]+)/.exec(file)?.[1] ?? null;
}

/** @param {readonly string[]} names */
function listOf(names) {
  return names.length === 0 ? 'no other package' : names.map((name) => `@galley/${name}`).join(', ');
}
