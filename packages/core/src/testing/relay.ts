import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a Redis on a socket, with the faults that lines have. */
export interface Relay {
  readonly port: number;
  /** Lets the next script call be carried out and cuts the connection instead of passing its reply on. */
  loseNextReply(): void;
  lost(): number;
  /** Lets nothing pass any more on the connections that there are, and leaves them open: as when a firewall forgets them. */
  silence(): void;
  close(): Promise<void>;
}

export async function relayTo(socketPath: string): Promise<Relay> {
  let losing = false;
  let lost = 0;
  const sockets = new Set<Socket>();
  const silencers = new Set<() => void>();
  const relay: Server = createServer((near) => {
    const far = connect(socketPath);
    let armed = false;
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
      if (losing && /evalsha|\r\neval\r\n/i.test(data.toString('latin1'))) {
        losing = false;
        armed = true;
      }
      far.write(data);
    });
    far.on('data', (data) => {
      if (silent) return;
      if (!armed) {
        near.write(data);
        return;
      }
      lost++;
      near.destroy();
    });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const address = relay.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    loseNextReply: () => {
      losing = true;
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
