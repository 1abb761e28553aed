/** The Redis keys of the server itself; those of queues are built in @galley/core. */

/** STRING with PX: SHA-256 (hex) of the token that a browser's session stands for. `id`: SHA-256 of the cookie. */
export const sessionKey = (id: string): string => `galley:session:${id}`;
/** LIST, at most 1,000, newest first: what admins did, as JSON. */
export const auditKey = 'galley:audit';
/** STRING with PX of a minute: requests counted of a caller (an address, or `user:<id>`), over all servers. */
export const rateKey = (caller: string): string => `galley:rate:${caller}`;
/** HASH: callbacks that are to be sent when their tasks have ended, as JSON by `<task id>`, or by `<task id> <url>` where a task has several. */
export const owedCallbacksKey = 'galley:callbacks';
/** STRING: when the servers warn, as JSON (`alertThresholdsSchema`); none while nobody has changed it. */
export const alertThresholdsKey = 'galley:alert-thresholds';
/** STRING with PX: the request that may write to a resumable upload; beside it, set while another waits for it. */
export const uploadLockKey = (id: string): string => `galley:upload:${id}:lock`;
export const uploadLockWantedKey = (id: string): string => `galley:upload:${id}:wanted`;
