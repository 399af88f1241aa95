import type { Owner, Timeline } from '../model/timeline.ts';
import type { Random } from '../random.ts';
import type { Saying, ServerState } from './plan.ts';

/** Milliseconds that each way takes of a slow server. */
const SLOW = 4_000;

/** One request, and what became of it. */
export interface Exchange {
  readonly method: string;
  readonly name: string;
  /** The action that asked, as the worker's own hook says it. */
  readonly action: string;
  /** The value of its header `X-Language`; empty without one. */
  readonly language: string;
  /** The user whose cookie it carried; null without a cookie. */
  readonly user: string | null;
  readonly askedAt: number;
  /** When its answer arrived; null while it has not, or never does. */
  answeredAt: number | null;
  /** 0 until it is answered. */
  status: number;
  /** The version that the answer shows, or that a write has made. */
  version: number;
  saying: Saying;
}

/** The body of an answer: the version of a thing, in a language, for a user. Two answers with the same are the same. */
export interface Content {
  readonly name: string;
  readonly version: number;
  readonly language: string;
  readonly user: string | null;
}

/** What the server says of a thing before a command changes that. */
const USUAL: Saying = {
  maxAge: 60,
  forbids: 'nothing',
  staleIfError: null,
  staleWhileRevalidate: null,
  vary: null,
  hasEtag: true,
};

/** A server with things that change, each of which says its own about caching, and a browser's cookie for it. */
export class Origin {
  readonly exchanges: Exchange[] = [];
  /** Whose cookie requests carry. */
  cookie: string | null = null;
  state: ServerState = 'works';
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #versions = new Map<string, number>();
  readonly #sayings = new Map<string, Saying>();
  readonly #gone = new Set<string>();
  readonly #open = new Map<Owner, Set<() => void>>();

  constructor(timeline: Timeline, random: Random) {
    this.#timeline = timeline;
    this.#random = random;
  }

  get isOnline(): boolean {
    return this.state !== 'cut';
  }

  say(name: string, saying: Saying): void {
    this.#sayings.set(name, saying);
  }

  publish(name: string): number {
    const version = (this.#versions.get(name) ?? 1) + 1;
    this.#versions.set(name, version);
    this.#gone.delete(name);
    return version;
  }

  withdraw(name: string): void {
    this.#gone.add(name);
  }

  become(state: ServerState): void {
    this.state = state;
    if (state !== 'cut') return;
    for (const cuts of this.#open.values()) for (const cut of cuts) cut();
  }

  /** The requests of a worker that is gone are gone with it. */
  forget(owner: Owner): void {
    for (const cut of this.#open.get(owner) ?? []) cut();
    this.#open.delete(owner);
  }

  /** What `fetch` is for that run of a worker. */
  readonly fetchOf =
    (owner: Owner) =>
    (url: string, init: RequestInit): Promise<Response> => {
      if (owner.state === 'gone') return new Promise(() => {});
      const headers = new Headers(init.headers);
      const name = new URL(url).pathname.split('/').at(-1) ?? '';
      const exchange: Exchange = {
        method: init.method ?? 'GET',
        name,
        action: headers.get('x-action') ?? '',
        language: headers.get('x-language') ?? '',
        user: this.cookie,
        askedAt: this.#timeline.now,
        answeredAt: null,
        status: 0,
        version: 0,
        saying: this.#sayings.get(name) ?? USUAL,
      };
      this.exchanges.push(exchange);
      return this.#send(owner, exchange, headers.get('if-none-match'), init.signal ?? null);
    };

  #send(
    owner: Owner,
    exchange: Exchange,
    validator: string | null,
    signal: AbortSignal | null,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const cuts = this.#open.get(owner) ?? new Set();
      this.#open.set(owner, cuts);
      let isOver = false;
      const end = (settle: () => void): void => {
        if (isOver) return;
        isOver = true;
        cuts.delete(cut);
        settle();
      };
      const cut = (): void => end(() => reject(new TypeError('fetch failed')));
      cuts.add(cut);
      signal?.addEventListener('abort', () =>
        end(() => reject(new DOMException('The request was aborted', 'AbortError'))),
      );
      if (!this.isOnline) {
        this.#timeline.schedule(owner, 1, cut);
        return;
      }
      void this.#answer(exchange, validator, () => isOver).then((response) =>
        end(() => {
          exchange.answeredAt = this.#timeline.now;
          exchange.status = response.status;
          resolve(response);
        }),
      );
    });
  }

  async #answer(exchange: Exchange, validator: string | null, isCut: () => boolean): Promise<Response> {
    const way = this.state === 'slow' ? SLOW : this.#random.between(2, 40);
    await this.#timeline.sleep(null, way);
    // What was cut on its way has had no effect.
    const response = isCut() ? new Response(null, { status: 204 }) : this.#represent(exchange, validator);
    await this.#timeline.sleep(null, way);
    return response;
  }

  #represent(exchange: Exchange, validator: string | null): Response {
    const { method, name, language, user } = exchange;
    if (this.state === 'fails') return json(503, {}, {});
    exchange.saying = this.#sayings.get(name) ?? USUAL;
    if (method !== 'GET') return this.#change(exchange);
    if (this.#gone.has(name)) return json(404, {}, {});
    exchange.version = this.#versions.get(name) ?? 1;
    const content: Content = { name, version: exchange.version, language, user };
    const etag = `"${[name, exchange.version, language, user].join(' ')}"`;
    const headers = headersOf(exchange.saying, etag, this.#timeline.now);
    if (exchange.saying.hasEtag && validator === etag) return new Response(null, { status: 304, headers });
    return json(200, headers, content);
  }

  #change(exchange: Exchange): Response {
    exchange.version = this.publish(exchange.name);
    if (exchange.method !== 'DELETE') return json(200, {}, { version: exchange.version });
    this.withdraw(exchange.name);
    return new Response(null, { status: 204 });
  }
}

function headersOf(saying: Saying, etag: string, now: number): Record<string, string> {
  const { maxAge, forbids, staleIfError, staleWhileRevalidate, vary, hasEtag } = saying;
  const directives = [
    maxAge === null ? [] : `max-age=${maxAge}`,
    forbids === 'nothing' ? [] : forbids,
    staleIfError === null ? [] : `stale-if-error=${staleIfError}`,
    staleWhileRevalidate === null ? [] : `stale-while-revalidate=${staleWhileRevalidate}`,
  ].flat();
  return {
    Date: new Date(now).toUTCString(),
    ...(directives.length > 0 && { 'Cache-Control': directives.join(', ') }),
    ...(vary !== null && { Vary: vary }),
    ...(hasEtag && { ETag: etag }),
  };
}

function json(status: number, headers: Record<string, string>, value: object): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
}
