import { createHmac } from 'node:crypto';

/** The value of the signature header. `at`: milliseconds since 1970; a receiver refuses what is too old, so that nothing can be played again. */
export function signatureOf(secret: string, body: string, at: number): string {
  const seconds = Math.floor(at / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
