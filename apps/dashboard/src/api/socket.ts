import { LIVE_NAMESPACE } from '@galley/contract';
import { io, type Socket } from 'socket.io-client';

export { parseServerEvent } from './parsing.ts';

/** The connection of the live stream, not opened yet. Its own reconnecting does not tell when the next try is, and a person who waits is told. */
export function createSocket(): Socket {
  return io(LIVE_NAMESPACE, { autoConnect: false, reconnection: false, transports: ['websocket', 'polling'], tryAllTransports: true });
}
