import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface Region {
  readonly label: string;
  readonly native_label?: string;
  readonly content: string;
  readonly bbox_2d: readonly number[] | null;
}

/** What the server does with one request. */
export type Behaviour =
  | { readonly kind: 'answer'; readonly text: string; readonly finishReason?: string }
  | { readonly kind: 'regions'; readonly regions: readonly Region[] }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** A 200 whose body is these words. */
  | { readonly kind: 'body'; readonly body: string }
  /** Never answers. */
  | { readonly kind: 'silence' }
  /** Answers a byte at a time, for ever. */
  | { readonly kind: 'drip' }
  /** Closes the connection in the middle of the answer. */
  | { readonly kind: 'cut' };

export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

const WELL: Behaviour = { kind: 'answer', text: 'Received with thanks.' };
const DRIP_MS = 20;

/** A stand-in for tests, here and of who uses this package: speaks both protocols on loopback and misbehaves on demand. */
export class GlmOcrServer {
  readonly requests: ReceivedRequest[] = [];
  /** Done to one request each, in this order; afterwards it behaves well. */
  readonly next: Behaviour[] = [];
  /** Done to all that `next` says nothing of. */
  otherwise: Behaviour = WELL;
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();
  #open = 0;
  #mostOpen = 0;
  #givenUp = 0;

  static async start(): Promise<GlmOcrServer> {
    const server = new GlmOcrServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#open++;
      this.#mostOpen = Math.max(this.#mostOpen, this.#open);
      response.on('close', () => {
        this.#open--;
        if (!response.writableFinished) this.#givenUp++;
        this.#stir();
      });
      this.#serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))));
    });
  }

  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the server does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Requests under way now, and the most there were at once. */
  get open(): number {
    return this.#open;
  }

  get mostOpen(): number {
    return this.#mostOpen;
  }

  /** Requests whose client went before the answer was whole. */
  get givenUp(): number {
    return this.#givenUp;
  }

  /** Resolves when `fits` is true, looked at whenever a request comes or ends. */
  async until(fits: () => boolean): Promise<void> {
    while (!fits()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #stir(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const path = request.url ?? '';
    this.requests.push({ path, authorization: request.headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
    const behaviour = this.next.shift() ?? this.otherwise;
    this.#stir();
    behave(behaviour, path, response);
  }
}

function behave(behaviour: Behaviour, path: string, response: ServerResponse): void {
  const json = (value: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  switch (behaviour.kind) {
    case 'answer':
      return json(path.endsWith('/glmocr/parse') ? parsed([region(behaviour.text)]) : chat(behaviour.text, behaviour.finishReason));
    case 'regions':
      return json(parsed(behaviour.regions));
    case 'status':
      response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '{"error":"as asked"}');
      return;
    case 'body':
      response.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.body);
      return;
    case 'silence':
      return;
    case 'drip': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), DRIP_MS);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 10_000 });
      response.write('{"choices":[{"message"', () => response.destroy());
  }
}

function chat(content: string, finishReason = 'stop'): object {
  return { object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finishReason }] };
}

function region(content: string): Region {
  return { label: 'text', content, bbox_2d: null };
}

function parsed(regions: readonly Region[]): object {
  const page = regions.map((one, index) => ({ index, ...one }));
  return { json_result: [page], markdown_result: page.map(({ content }) => content).join('\n\n') };
}
