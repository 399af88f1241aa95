import { send, sendJson, type Exchange } from '../server/exchange.ts';
import { FixtureServer } from '../server/fixture-server.ts';
import type { Part, Report } from './scenario.ts';

/** What a page may ask of the world outside it. */
export interface Wishes {
  readonly down: () => Promise<void>;
  readonly up: () => Promise<void>;
  readonly stopWorker: () => Promise<void>;
  /** From now on the worker's script is that of a later release. */
  readonly publish: () => Promise<void>;
  /** Resolves to what the invited page kept. */
  readonly invite: (memory: unknown) => Promise<unknown>;
}

/**
 * Tells pages what to play, hears how it went, and grants their wishes. A server of its own, so that it can be asked
 * while the one under test is down; pages come to it by fetch, which every engine has.
 */
export class Prompter {
  readonly #server = new FixtureServer('127.0.0.1');
  readonly #parts = new Map<string, { readonly part: Part; readonly done: (report: Report) => void }>();

  get url(): string {
    return this.#server.url;
  }

  async up(): Promise<void> {
    await this.#server.up();
    this.#server.on('GET /part', (exchange) => {
      const cast = this.#parts.get(pageOf(exchange));
      if (cast) sendJson(exchange, cast.part);
      else send(exchange, 404);
    });
    this.#server.on('POST /report', (exchange) => {
      const cast = this.#parts.get(pageOf(exchange));
      const report: Report = JSON.parse(exchange.body.toString());
      send(exchange, 204);
      cast?.done(report);
    });
  }

  down(): Promise<void> {
    return this.#server.down();
  }

  /** Resolves to the report of a page that is about to load. */
  cast(page: string, part: Part): Promise<Report> {
    return new Promise((done) => {
      this.#parts.set(page, { part, done });
    });
  }

  /** From now on wishes are granted in this way. */
  grant(wishes: Wishes): void {
    for (const name of ['down', 'up', 'stopWorker', 'publish'] as const) {
      this.#server.on(`POST /${name}`, (exchange) => answer(exchange, () => wishes[name]()));
    }
    this.#server.on('POST /invite', (exchange) =>
      answer(exchange, () => wishes.invite(JSON.parse(exchange.body.toString()))),
    );
  }
}

async function answer(exchange: Exchange, grant: () => Promise<unknown>): Promise<void> {
  try {
    sendJson(exchange, (await grant()) ?? null);
  } catch (error) {
    sendJson(exchange, String(error), {}, 500);
  }
}

function pageOf({ url }: Exchange): string {
  return url.searchParams.get('page') ?? '';
}
