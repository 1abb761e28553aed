import { createHash, randomBytes } from 'node:crypto';
import { PlainFailure } from './failure.mjs';

export const TOKEN_ROLES = ['viewer', 'user', 'admin'];
/** As the contract has it; nothing in it means anything in the file of tokens. */
const USER = /^[\w.@:-]{1,128}$/;

/**
 * A fresh token and its line for the file of tokens: `<sha256> <user> <role>`.
 * @param {{ user: string, role: string }} options
 */
export function makeToken({ user, role }) {
  if (!USER.test(user)) throw new PlainFailure(`The user "${user}" will not do: take 1 to 128 letters, digits or . _ @ : -`);
  if (!TOKEN_ROLES.includes(role)) throw new PlainFailure(`The role "${role}" is none; take ${TOKEN_ROLES.join(', ')}.`);
  const token = randomBytes(32).toString('base64url');
  return { token, line: `${createHash('sha256').update(token).digest('hex')} ${user} ${role}` };
}
