import { setTimeout as sleep } from 'node:timers/promises';
import { headersOf, send, sendJson, type Exchange } from '../server/exchange.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Random } from './random.ts';

/** A validator says the version and not whose it is, as servers' do. */
const VALIDATOR = { ETag: '"1"', 'Cache-Control': 'no-cache' };

/** An answer takes up to so many milliseconds. */
const LATEST = 20;

/** How each request says whose it is. */
const WAYS: Readonly<Record<string, (headers: Record<string, string>) => string | undefined>> = {
  cookie: (headers) => /user=(\d+)/.exec(headers['cookie'] ?? '')?.[1],
  hook: (headers) => headers['x-user'],
  provider: (headers) => /Bearer (\d+)/.exec(headers['authorization'] ?? '')?.[1],
};

/** A server that has something else for each user, and keeps a book of what each has written. */
export class UserSessions {
  /** Writes of one user that came as another's. */
  readonly mixed: string[] = [];
  /** How often each write was performed. */
  readonly effects: Map<string, number> = new Map();
  readonly #random: Random;

  constructor(server: FixtureServer, random: Random) {
    this.#random = random;
    for (const way of Object.keys(WAYS)) {
      for (const name of ['read', 'live', 'watched'] as const)
        server.on(`GET /of/${way}/${name}`, (exchange) => this.#tell(way, exchange, (of) => ({ of })));
      server.on(`GET /of/${way}/rows`, (exchange) =>
        this.#tell(way, exchange, (of) => Array.from({ length: 20 }, (_, id) => ({ id, of }))),
      );
      server.on(`GET /of/${way}/feed`, (exchange) => this.#feed(way, exchange));
      server.on(`POST /of/${way}/save`, (exchange) => this.#save(way, exchange));
    }
  }

  /** How many were performed more than once. */
  get repeated(): number {
    return [...this.effects.values()].filter((times) => times > 1).length;
  }

  async #tell(way: string, exchange: Exchange, make: (of: string) => unknown): Promise<void> {
    const of = nameIn(way, exchange);
    await sleep(this.#random.between(0, LATEST));
    const isKnown = headersOf(exchange.request)['if-none-match'] === VALIDATOR.ETag;
    if (isKnown) send(exchange, 304, undefined, VALIDATOR);
    else sendJson(exchange, make(of), VALIDATOR);
  }

  async #feed(way: string, exchange: Exchange): Promise<void> {
    const of = nameIn(way, exchange);
    await sleep(this.#random.between(LATEST, 2 * LATEST));
    sendJson(exchange, { of, last: 1 + Number(exchange.url.searchParams.get('since')) });
  }

  /** Performs a write, at once or after a while. One without a session is refused. */
  async #save(way: string, exchange: Exchange): Promise<void> {
    const user = userIn(way, exchange);
    if (this.#random.chance(0.5)) await sleep(this.#random.between(0, LATEST));
    if (user === 0) return sendJson(exchange, { error: 'Nobody' }, {}, 401);
    const { by } = Object(JSON.parse(exchange.body.toString()));
    const id = exchange.url.searchParams.get('id') ?? '';
    if (by !== user) this.mixed.push(`${way}: write ${id} of ${by} came as ${user}'s`);
    this.effects.set(`${way} ${id}`, (this.effects.get(`${way} ${id}`) ?? 0) + 1);
    return sendJson(exchange, { of: `user-${user};` });
  }
}

function userIn(way: string, { request }: Exchange): number {
  return Number(WAYS[way]?.(headersOf(request)) ?? 0);
}

function nameIn(way: string, exchange: Exchange): string {
  return `user-${userIn(way, exchange)};`;
}
