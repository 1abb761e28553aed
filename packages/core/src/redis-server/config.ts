/** The folders in which this process finds programs. */
export function systemSearchPath(): string {
  return process.env['PATH'] ?? '';
}
