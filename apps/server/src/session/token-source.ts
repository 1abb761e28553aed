import { unwatchFile, watchFile } from 'node:fs';
import type { Lifecycle } from '@galley/core';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { Tokens } from './tokens.ts';

const LOOK_EVERY_MS = 1_000;

/**
 * The tokens of the settings, read again whenever their file changes. A file that cannot be read or understood changes nothing: whoever
 * could call before still can, and the log says what is wrong with it.
 */
export class TokenSource implements Lifecycle {
  private readonly config: Pick<Config, 'tokens' | 'tokensFile'>;
  private readonly logger: Logger;
  private readonly lookEveryMs: number;
  private tokens: Tokens | null;
  private changed: () => void = () => {};
  private reading: Promise<void> = Promise.resolve();
  private readonly look = (): void => {
    this.reading = this.reading.then(() => this.reload());
  };

  private constructor(config: Pick<Config, 'tokens' | 'tokensFile'>, tokens: Tokens | null, logger: Logger, lookEveryMs: number) {
    this.config = config;
    this.tokens = tokens;
    this.logger = logger;
    this.lookEveryMs = lookEveryMs;
  }

  /** @throws GalleyError `invalid_request` with a sentence that says what is wrong with which entry */
  static async open(config: Pick<Config, 'tokens' | 'tokensFile'>, logger: Logger, lookEveryMs = LOOK_EVERY_MS): Promise<TokenSource> {
    return new TokenSource(config, await readTokens(config), logger, lookEveryMs);
  }

  /** Null: none are configured. */
  get current(): Tokens | null {
    return this.tokens;
  }

  onChange(listener: () => void): void {
    this.changed = listener;
  }

  start(): void {
    const { tokensFile } = this.config;
    if (tokensFile !== undefined) watchFile(tokensFile, { interval: this.lookEveryMs, persistent: false }, this.look);
  }

  async stop(): Promise<void> {
    const { tokensFile } = this.config;
    if (tokensFile !== undefined) unwatchFile(tokensFile, this.look);
    await this.reading;
  }

  private async reload(): Promise<void> {
    try {
      this.tokens = await readTokens(this.config);
    } catch (error) {
      this.logger.error({ err: error }, 'the changed file of tokens is not used; those read before still hold');
      return;
    }
    this.logger.info({ tokens: this.tokens?.count }, 'the tokens were read again');
    this.changed();
  }
}

/** Those of the environment and those of the file; null where neither is set. */
export async function readTokens({ tokens, tokensFile }: Pick<Config, 'tokens' | 'tokensFile'>): Promise<Tokens | null> {
  const sources = [
    ...(tokens === undefined ? [] : [Tokens.parse(tokens.replaceAll(/[,;](?=\s*[0-9a-f]{64}\s)/g, '\n'), 'GALLEY_TOKENS')]),
    ...(tokensFile === undefined ? [] : [await Tokens.read(tokensFile)]),
  ];
  return sources.length === 0 ? null : Tokens.merge(sources);
}
