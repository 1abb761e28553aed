import path from 'node:path';
import { importFault } from './import-direction.mjs';

/**
 * What the linter hands to a rule, as far as this rule reads it.
 * @typedef {{ source?: { value?: unknown } | null }} ImportNode
 * @typedef {{ cwd: string, filename: string, report(problem: { node: object, message: string }): void }} RuleContext
 */

/** Reports every import, re-export and dynamic import that runs against DESIGN §8. */
const importDirection = {
  meta: { type: 'problem' },
  /** @param {RuleContext} context */
  create(context) {
    const file = path.relative(context.cwd, context.filename).split(path.sep).join('/');
    /** @param {ImportNode} node */
    const check = ({ source }) => {
      if (typeof source?.value !== 'string') return;
      const message = importFault(file, source.value);
      if (message !== null) context.report({ node: source, message });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check, ImportExpression: check };
  },
};

export default { meta: { name: 'galley' }, rules: { 'import-direction': importDirection } };
