import { setTimeout as delay } from 'node:timers/promises';
import { GalleyError } from '@galley/contract';
import { type Channel, type ChannelModel, type ConfirmChannel, connect } from 'amqplib';

const CLOSE_LIMIT_MS = 2_000;

/** A connection to RabbitMQ that is opened when it is needed, and again when it was lost. */
export class Broker {
  readonly #url: string;
  #opening: Promise<ChannelModel> | null = null;
  #isOpen = false;
  #closed = false;

  /** @param heartbeatSeconds how often each side says that it lives; after twice that the broker takes back what a dead one held */
  constructor(url: string, heartbeatSeconds: number) {
    const address = URL.canParse(url) ? new URL(url) : null;
    if (address === null || !/^amqps?:$/.test(address.protocol)) {
      throw new GalleyError('invalid_request', 'The address of RabbitMQ must be amqp://user:password@host:5672/vhost, or amqps://…');
    }
    address.searchParams.set('heartbeat', String(heartbeatSeconds));
    this.#url = address.href;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether there is a connection that is not known to be lost. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when there is a connection. */
  async open(): Promise<void> {
    await this.#connection();
  }

  /** A channel whose errors end it and nothing else: what runs on it rejects. The caller closes it. */
  async channel(): Promise<Channel> {
    return hushed(await (await this.#connection()).createChannel());
  }

  async confirmChannel(): Promise<ConfirmChannel> {
    return hushed(await (await this.#connection()).createConfirmChannel());
  }

  /** Runs on a channel of its own, since an error of AMQP takes the whole channel with it. */
  async onChannel<Result>(act: (channel: Channel) => Promise<Result>): Promise<Result> {
    const channel = await this.channel();
    try {
      return await act(channel);
    } finally {
      await closeQuietly(channel);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const model = await this.#opening?.catch(() => null);
    // A broker that is itself waiting for something answers late; its end of the connection goes when it does.
    await Promise.race([model?.close().catch(() => undefined), delay(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }

  #connection(): Promise<ChannelModel> {
    if (this.#closed) throw new GalleyError('lock_store_unavailable', 'This store of locks has been closed.');
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<ChannelModel> {
    try {
      const model = await connect(this.#url, { keepAlive: true, noDelay: true, timeout: 5_000 });
      const forget = (): void => {
        this.#opening = null;
        this.#isOpen = false;
      };
      // The reason comes again as the rejection of whatever was under way.
      model.on('error', forget);
      model.on('close', forget);
      this.#isOpen = true;
      return model;
    } catch (cause) {
      this.#opening = null;
      throw new GalleyError('lock_store_unavailable', 'RabbitMQ cannot be reached.', { cause });
    }
  }
}

/** An error ends the channel, and is told to whoever waits for an answer on it. Without a listener it would end the process. */
function hushed<Kind extends Channel>(channel: Kind): Kind {
  channel.on('error', () => undefined);
  return channel;
}

export async function closeQuietly(channel: Channel): Promise<void> {
  try {
    await channel.close();
  } catch {
    // It was closed already, by an error that its user has heard of.
  }
}

/** AMQP's reply code of an error, such as 404; null for any other. */
export function replyCode(error: unknown): number | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null;
}

export const NOT_FOUND = 404;
export const RESOURCE_LOCKED = 405;
