import { sendJson, type Exchange } from '../server/exchange.ts';
import type { FixtureServer } from '../server/fixture-server.ts';

/** How a server says no once, and how it says when to ask again. */
export interface Refusal {
  readonly key: string;
  readonly status: number;
  readonly form: 'seconds' | 'date' | 'garbage';
  /** Seconds. */
  readonly wait: number;
}

/** What is neither a number of seconds nor a date. */
const GARBAGE = ['soon', '-5', '1.5', 'Tomorrow at noon', '{"seconds":5}'];

interface Refused {
  readonly at: number;
  /** When the server wants to be asked again at the earliest; null where it says nothing to the purpose. */
  readonly notBefore: number | null;
}

/** `/refused?key=&status=&form=&wait=` is refused the first time, and answered from then on. Times are milliseconds of the epoch. */
export class Refusals {
  readonly #server: FixtureServer;
  readonly #refused = new Map<string, Refused>();
  readonly #answered = new Map<string, number>();

  constructor(server: FixtureServer) {
    this.#server = server;
    for (const method of ['GET', 'PUT', 'DELETE']) {
      server.on(`${method} /refused`, (exchange) => this.#answer(exchange));
    }
  }

  get count(): number {
    return this.#refused.size;
  }

  /** Numbers of answers by key: what a checker takes for effects. */
  get answered(): ReadonlyMap<string, number> {
    return this.#answered;
  }

  urlOf({ key, status, form, wait }: Refusal): string {
    return `/refused?key=${key}&status=${status}&form=${form}&wait=${wait}`;
  }

  /** Milliseconds by which the next request came too soon: before the server's time, or sooner than `own` after it. */
  earlinessOf(refusal: Refusal, own: number): number {
    const refused = this.#refused.get(refusal.key);
    const [, next] = this.#server.journal.of('/refused').filter(({ url }) => url === this.urlOf(refusal));
    if (!refused || !next) return 0;
    return Math.max(refused.notBefore ?? 0, refused.at + own) - next.at;
  }

  #answer(exchange: Exchange): void {
    const query = exchange.url.searchParams;
    const key = query.get('key') ?? '';
    const headers = { 'Cache-Control': 'no-store' };
    if (this.#refused.has(key)) {
      this.#answered.set(key, (this.#answered.get(key) ?? 0) + 1);
      return sendJson(exchange, { version: 1 }, headers);
    }
    const at = Date.now();
    const [text, notBefore] = this.#wish(query.get('form'), at, Number(query.get('wait')));
    this.#refused.set(key, { at, notBefore });
    sendJson(exchange, {}, { ...headers, 'Retry-After': text }, Number(query.get('status')));
  }

  #wish(form: string | null, now: number, wait: number): readonly [text: string, notBefore: number | null] {
    switch (form) {
      case 'seconds':
        return [String(wait), now + wait * 1_000];
      case 'date': {
        const date = Math.ceil(now / 1_000 + wait) * 1_000;
        return [new Date(date).toUTCString(), date];
      }
      default:
        return [GARBAGE[this.#refused.size % GARBAGE.length] ?? '', null];
    }
  }
}
