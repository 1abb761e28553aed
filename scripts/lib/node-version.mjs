export const LEAST_NODE = { major: 20, minor: 19 };

/**
 * Says what is wrong with this Node, or null when it will do. Kept to syntax that old versions parse, so that they can say so.
 * @param {string} version such as `20.19.0`
 * @returns {string | null}
 */
export function nodeFault(version) {
  const parts = version.split('.').map(Number);
  const major = parts[0] || 0;
  const minor = parts[1] || 0;
  const enough = major > LEAST_NODE.major || (major === LEAST_NODE.major && minor >= LEAST_NODE.minor);
  if (enough) return null;
  return (
    'Galley needs Node ' +
    LEAST_NODE.major +
    '.' +
    LEAST_NODE.minor +
    ' or newer; this is Node ' +
    version +
    '. Install a newer one from https://nodejs.org (or: nvm install 22) and start again.'
  );
}
