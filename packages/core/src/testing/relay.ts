import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a Redis on a socket, with the faults that lines have. */
export interface Relay {
  readonly port: number;
  /** Lets the next script call be carried out and cuts the connection instead of passing its reply on. */
  loseNextReply(): void;
  /** The same, but passes the reply on except for its last bytes. */
  cutNextReply(): void;
  lost(): number;
  /** Lets nothing pass any more on the connections that there are, and leaves them open: as when a firewall forgets them. */
  silence(): void;
  close(): Promise<void>;
}

/** More than the heads of empty lines take at the end of a round trip, and less than a claim before them. */
const CUT_BYTES = 40;

export async function relayTo(socketPath: string): Promise<Relay> {
  let losing: 'whole' | 'end' | null = null;
  let lost = 0;
  const sockets = new Set<Socket>();
  const silencers = new Set<() => void>();
  const relay: Server = createServer((near) => {
    const far = connect(socketPath);
    let armed: 'whole' | 'end' | null = null;
    let silent = false;
    silencers.add(() => {
      silent = true;
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (data) => {
      if (silent) return;
      if (losing !== null && /evalsha|\r\neval\r\n/i.test(data.toString('latin1'))) {
        armed = losing;
        losing = null;
      }
      far.write(data);
    });
    far.on('data', (data) => {
      if (silent) return;
      if (armed === null) {
        near.write(data);
        return;
      }
      lost++;
      if (armed === 'whole') near.destroy();
      else near.write(data.subarray(0, -CUT_BYTES), () => near.destroy());
    });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const address = relay.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    loseNextReply: () => {
      losing = 'whole';
    },
    cutNextReply: () => {
      losing = 'end';
    },
    lost: () => lost,
    silence: () => {
      for (const silence of silencers) silence();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}
