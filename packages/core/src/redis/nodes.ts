import { Cluster, type Redis } from 'ioredis';
import type { Connection } from './connection.ts';

/** A client for each server that holds keys: every master of a cluster, else the one server. For commands about a server, not a key. */
export function masterNodes({ client }: Connection): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}
