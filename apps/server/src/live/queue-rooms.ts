import type { LiveDeadLetters, QueueSnapshot } from '@galley/contract';
import type { LiveClient, LiveNamespace } from './live-socket.ts';

/** A room of so many is told in a few milliseconds. */
export const ROOM_SIZE = 100;
/** Between two rooms everything else of the server has its turn. */
const SPREAD_MS = 600;
const PAUSE_MOST_MS = 25;

const roomName = (queue: string, number: number): string => `queue ${queue} ${number}`;

/**
 * Who follows which queue, in rooms of 100. They are told one after another: all at once, thousands of dashboards would hold the event loop
 * for as long as it takes to write to every one of them. A client that lags is passed over and gets the newest as soon as it has caught up:
 * nothing is kept for it.
 */
export class QueueRooms {
  private readonly live: LiveNamespace;
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(live: LiveNamespace) {
    this.live = live;
  }

  async join(client: LiveClient, queue: string): Promise<void> {
    let number = 0;
    while (this.sizeOf(queue, number) >= ROOM_SIZE) number++;
    await client.join(roomName(queue, number));
  }

  async leave(client: LiveClient): Promise<void> {
    for (const room of client.rooms) if (room.startsWith('queue ')) await client.leave(room);
  }

  isFollowed(queue: string): boolean {
    return this.roomsOf(queue).length > 0;
  }

  tellSnapshot(queue: string, snapshot: QueueSnapshot): void {
    this.each(queue, (room) => this.live.to(room).volatile.emit('snapshot', snapshot));
  }

  tellDead(queue: string, dead: LiveDeadLetters): void {
    this.each(queue, (room) => this.live.to(room).emit('dead_letters', dead));
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  private sizeOf(queue: string, number: number): number {
    return this.live.adapter.rooms.get(roomName(queue, number))?.size ?? 0;
  }

  /** Rooms empty and fill again, so their numbers may have gaps. */
  private roomsOf(queue: string): string[] {
    const prefix = roomName(queue, 0).slice(0, -1);
    return [...this.live.adapter.rooms.keys()].filter((room) => room.startsWith(prefix) && /^\d+$/.test(room.slice(prefix.length)));
  }

  private each(queue: string, tell: (room: string) => void): void {
    const rooms = this.roomsOf(queue);
    const pause = Math.min(PAUSE_MOST_MS, SPREAD_MS / Math.max(1, rooms.length));
    for (const [index, room] of rooms.entries()) {
      if (index === 0) {
        tell(room);
        continue;
      }
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        tell(room);
      }, index * pause);
      this.timers.add(timer);
    }
  }
}
