import type { Random } from '../random.ts';
import type { Asked, ServerState } from './asked.ts';
import type { Journal } from './journal.ts';
import type { Owner, Timeline } from './timeline.ts';

/** Milliseconds that a request for a feed is held while there is no news. */
const HOLD = 20_000;

/** Seconds that a server asks for with `Retry-After`. */
export const RETRY_AFTER = 4;

/** Milliseconds that a slow server takes. */
const SLOW = 8_000;

/** States that count their writes, and a feed with one entry a write. */
export class Server {
  readonly asked: Asked[] = [];
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #journal: Pick<Journal, 'begin' | 'apply' | 'end'>;
  readonly #versions = new Map<string, number>();
  readonly #open = new Map<Asked, (end: 'cut') => void>();
  #state: ServerState = 'works';
  #entries = 0;
  #news: (() => void)[] = [];

  constructor(timeline: Timeline, random: Random, journal: Pick<Journal, 'begin' | 'apply' | 'end'>) {
    this.#timeline = timeline;
    this.#random = random;
    this.#journal = journal;
  }

  get state(): ServerState {
    return this.#state;
  }

  get isOnline(): boolean {
    return this.#state !== 'cut';
  }

  /** The number of the last entry of the feed. */
  get entries(): number {
    return this.#entries;
  }

  versionOf(path: string): number {
    return this.#versions.get(path) ?? 1;
  }

  become(state: ServerState): void {
    this.#state = state;
    if (state === 'cut') for (const cut of this.#open.values()) cut('cut');
  }

  /** A state changes, and the feed says so. */
  write(path: string): number {
    const version = this.versionOf(path) + 1;
    this.#versions.set(path, version);
    this.#entries += 1;
    for (const tell of this.#news.splice(0)) tell();
    return version;
  }

  /** The requests of a worker that is gone are gone with it. */
  forget(owner: Owner): void {
    for (const [asked, cut] of this.#open) if (asked.by === owner) cut('cut');
  }

  /** What `fetch` is for that run of a worker. */
  readonly fetchOf =
    (owner: Owner) =>
    (url: string, init: RequestInit): Promise<Response> => {
      // What is left of a worker that is gone sends nothing.
      if (owner.state === 'gone') return new Promise(() => {});
      const { pathname, searchParams } = new URL(url);
      const headers = new Headers(init.headers);
      const asked: Asked = {
        by: owner,
        method: init.method ?? 'GET',
        path: pathname.slice(1),
        action: headers.get('x-action') ?? '',
        tag: headers.get('x-tag'),
        at: this.#timeline.now,
        endedAt: null,
        end: null,
        retryAfter: null,
      };
      this.asked.push(asked);
      this.#journal.begin(asked);
      return this.#exchange(asked, searchParams.get('since'), init.signal ?? null);
    };

  #exchange(asked: Asked, since: string | null, signal: AbortSignal | null): Promise<Response> {
    return new Promise((resolve, reject) => {
      const finish = (end: NonNullable<Asked['end']>, settle: () => void): void => {
        if (asked.end !== null) return;
        Object.assign(asked, { end, endedAt: this.#timeline.now });
        this.#open.delete(asked);
        this.#journal.end(asked);
        settle();
      };
      const abort = (): void =>
        finish('aborted', () => reject(new DOMException('The request was aborted', 'AbortError')));
      const fail = (): void => finish('cut', () => reject(new TypeError('fetch failed')));
      this.#open.set(asked, fail);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      if (!this.isOnline) return void this.#timeline.schedule(asked.by, 1, fail);
      const answer = async (): Promise<void> => {
        const response = await this.#answer(asked, since);
        finish(response.ok ? 'answered' : 'failed', () => resolve(response));
      };
      void answer();
    });
  }

  async #answer(asked: Asked, since: string | null): Promise<Response> {
    const way = this.#state === 'slow' ? SLOW / 2 : this.#random.between(2, 40);
    await this.#timeline.sleep(null, way);
    // What was cut on its way has had no effect.
    if (asked.end !== null) return new Response(null, { status: 204 });
    if (this.#state === 'fails' || this.#state === 'refuses') return this.#refuse(asked, way);
    const response = asked.path === 'feed' ? await this.#feed(since) : this.#represent(asked);
    await this.#timeline.sleep(null, way);
    return response();
  }

  async #refuse(asked: Asked, way: number): Promise<Response> {
    asked.retryAfter = this.#state === 'refuses' ? RETRY_AFTER : null;
    await this.#timeline.sleep(null, way);
    const headers = { 'Content-Type': 'application/json' };
    const patience = asked.retryAfter === null ? {} : { 'Retry-After': String(asked.retryAfter) };
    return new Response('[]', { status: 503, headers: { ...headers, ...patience } });
  }

  #represent(asked: Asked): () => Response {
    const { path, method } = asked;
    const n = method === 'GET' ? this.versionOf(path) : this.write(path);
    if (method !== 'GET') this.#journal.apply(asked);
    return () => json({ n });
  }

  async #feed(since: string | null): Promise<() => Response> {
    const after = since === null ? null : Number(since);
    if (after === this.#entries) await this.#newsWithin(HOLD);
    const to = this.#entries;
    return () => (after === to ? new Response(null, { status: 204 }) : json({ after, to }));
  }

  #newsWithin(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#news.push(resolve);
      this.#timeline.schedule(null, milliseconds, resolve);
    });
  }
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { 'Content-Type': 'application/json' } });
}
