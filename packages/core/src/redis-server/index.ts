export { findRedisServer, type RedisProgram } from './find-redis-server.ts';
export { findRunningRedisServer } from './find-running-server.ts';
export type { AppendFsync } from './server-process.ts';
export { type StartRedisServerOptions, startRedisServer } from './start-redis-server.ts';
export type { RedisServer, RedisServerExit, RedisServerLogger } from './supervised-server.ts';
export { startTemporaryRedisServer, type TemporaryRedisServer, type TemporaryRedisServerOptions } from './temporary-redis-server.ts';
