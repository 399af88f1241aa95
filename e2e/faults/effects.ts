import { setTimeout as sleep } from 'node:timers/promises';
import { numberOf, sendJson, type Exchange } from '../server/exchange.ts';
import type { FixtureServer } from '../server/fixture-server.ts';

/**
 * The journal of what writes did: `/effects?call=&item=&ms=` takes every method, applies it on arrival and answers
 * after so many milliseconds. An effect is a change: a PUT of what is there already and a DELETE of what is not there
 * have none, so a request that was safely sent again counts once.
 */
export class Effects {
  readonly #counts = new Map<string, number>();
  readonly #items = new Map<string, string>();

  constructor(server: FixtureServer) {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH']) {
      server.on(`${method} /effects`, (exchange) => this.#answer(exchange));
    }
  }

  /** Numbers of effects by the id of the call. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  async #answer(exchange: Exchange): Promise<void> {
    const status = this.#apply(exchange);
    await sleep(numberOf(exchange, 'ms', 0));
    sendJson(exchange, { status }, { 'Cache-Control': 'no-store' }, status);
  }

  #apply({ request, url }: Exchange): number {
    const call = url.searchParams.get('call') ?? '';
    const item = url.searchParams.get('item') ?? '';
    switch (request.method) {
      case 'POST':
      case 'PATCH':
        this.#count(call);
        return 200;
      case 'PUT':
        if (this.#items.get(item) !== call) this.#count(call);
        this.#items.set(item, call);
        return 200;
      case 'DELETE':
        // Every item is there until it is deleted: only the second request finds nothing.
        if (this.#items.get(item) === GONE) return 404;
        this.#items.set(item, GONE);
        this.#count(call);
        return 200;
      default:
        return 200;
    }
  }

  #count(call: string): void {
    this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
  }
}

const GONE = 'gone';
