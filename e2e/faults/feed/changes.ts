import { setTimeout as sleep } from 'node:timers/promises';
import { sendJson, type Exchange } from '../../server/exchange.ts';
import type { FixtureServer } from '../../server/fixture-server.ts';
import type { Random } from '../random.ts';

/** Changes that one answer has at most. */
const MOST = 4;

/** Milliseconds that an answer takes at most. */
const SLOWEST = 25;

/** Milliseconds after which a request is held for nobody that another one has followed. */
const GRACE = 2_000;

/** Numbered changes at random instants, told a few at a time from a place on; who has them all is held. */
export class Changes {
  /** When each was made, in milliseconds of the epoch; number 1 stands first. */
  readonly madeAt: number[] = [];
  readonly #random: Random;
  /** Those that are not answered yet, and since when another one is, too. */
  readonly #open = new Map<Exchange, number | null>();
  readonly #held = new Set<Exchange>();
  #asked = 0;
  #beside = 0;
  #forgotten = 0;
  #longestOverlap = 0;

  constructor(server: FixtureServer, random: Random) {
    this.#random = random;
    server.on('GET /changes', (exchange) => this.#receive(exchange));
  }

  get last(): number {
    return this.madeAt.length;
  }

  get asked(): number {
    return this.#asked;
  }

  /** Requests that came while another was open. */
  get beside(): number {
    return this.#beside;
  }

  /** Requests that were still held two seconds after another had come, or are held beside another now. */
  get forNobody(): number {
    return this.#forgotten + Math.max(0, this.#held.size - 1);
  }

  /** Milliseconds that two requests were open at a time: what a worker's death leaves is closed a moment later. */
  get longestOverlap(): number {
    return this.#longestOverlap;
  }

  /** Makes so many, in bursts and with pauses, over so many milliseconds or somewhat less. */
  async make(count: number, span: number): Promise<void> {
    const until = Date.now() + span;
    for (let left = count; left > 0;) {
      const burst = Math.min(left, this.#random.between(1, 2 * MOST));
      const share = Math.max(0, until - Date.now()) * (burst / left);
      await sleep(this.#random.between(0, 2 * share + 1));
      left -= burst;
      for (let each = 0; each < burst; each += 1) this.madeAt.push(Date.now());
      for (const held of this.#held) void this.#answer(held);
    }
  }

  async #receive(exchange: Exchange): Promise<void> {
    this.#asked += 1;
    if (this.#open.size > 0) this.#beside += 1;
    for (const [before, since] of this.#open) {
      this.#open.set(before, since ?? Date.now());
      void this.#expectEnd(before);
    }
    this.#open.set(exchange, null);
    exchange.response.on('close', () => this.#close(exchange));
    if (placeOf(exchange) < this.last) await this.#answer(exchange);
    else this.#held.add(exchange);
  }

  #close(exchange: Exchange): void {
    const since = this.#open.get(exchange) ?? null;
    if (since !== null) this.#longestOverlap = Math.max(this.#longestOverlap, Date.now() - since);
    this.#open.delete(exchange);
    this.#held.delete(exchange);
  }

  /** A worker that has died takes its request along. */
  async #expectEnd(exchange: Exchange): Promise<void> {
    await sleep(GRACE);
    if (!this.#open.has(exchange)) return;
    this.#close(exchange);
    this.#forgotten += 1;
  }

  async #answer(exchange: Exchange): Promise<void> {
    this.#held.delete(exchange);
    await sleep(this.#random.between(0, SLOWEST));
    const first = placeOf(exchange) + 1;
    const count = Math.min(this.#random.between(1, MOST + 1), this.last - first + 1);
    const numbers = Array.from({ length: count }, (_, index) => first + index);
    sendJson(exchange, { numbers, last: numbers.at(-1) });
  }
}

function placeOf({ url }: Exchange): number {
  return Number(url.searchParams.get('since'));
}
