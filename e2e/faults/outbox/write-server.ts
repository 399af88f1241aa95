import { setTimeout as sleep } from 'node:timers/promises';
import { headersOf, send, sendJson, type Exchange } from '../../server/exchange.ts';
import type { FixtureServer } from '../../server/fixture-server.ts';

/**
 * What becomes of one attempt. `performed-early`: at once, though the answer takes its time. `unheard`: it is performed, and
 * its connection is cut.
 */
export type Fate =
  | 'performed'
  | 'performed-early'
  | 'unheard'
  | 'cut'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** A server that performs each key once, and keeps a book of it: `POST /outbox/{lane}` with `{ number }`. */
export class WriteServer {
  /** What becomes of the attempt of that write, whose `nth` it is. */
  fate: (number: number, nth: number) => Fate = () => 'performed';
  /** Milliseconds that an attempt takes. */
  takes: (number: number, nth: number) => number = () => 0;
  /** The numbers of the writes that were performed, in order, by lane. */
  readonly performed: Map<string, number[]> = new Map();
  /** Attempts by number. */
  readonly attempts: Map<number, number> = new Map();
  /** How many attempts had no key, or that of another write. */
  mixed = 0;
  /** How many attempts the browser has given up. */
  givenUp = 0;
  readonly #keys = new Map<string, number>();

  constructor(server: FixtureServer, lanes: readonly string[]) {
    for (const lane of lanes) server.on(`POST /outbox/${lane}`, (exchange) => this.#take(lane, exchange));
  }

  get all(): number[] {
    return [...this.performed.values()].flat();
  }

  /** Attempts in all. */
  get attempted(): number {
    return [...this.attempts.values()].reduce((sum, each) => sum + each, 0);
  }

  /** Nothing is wrong with it from here on. */
  heal(): void {
    this.fate = () => 'performed';
    this.takes = () => 0;
  }

  /** Writes that were performed after a later one of their lane. */
  get unordered(): number {
    return [...this.performed.values()]
      .flatMap((numbers) => numbers.map((number, index) => number < (numbers[index - 1] ?? -1)))
      .filter(Boolean).length;
  }

  async #take(lane: string, exchange: Exchange): Promise<void> {
    const { number }: { number: number } = JSON.parse(exchange.body.toString());
    const nth = (this.attempts.get(number) ?? 0) + 1;
    this.attempts.set(number, nth);
    const fate = this.fate(number, nth);
    const perform = (): void =>
      this.#perform(lane, number, headersOf(exchange.request)['idempotency-key'] ?? '');
    if (fate === 'performed-early') perform();
    const giveUp = (): void => void (this.givenUp += 1);
    exchange.response.once('close', giveUp);
    await sleep(this.takes(number, nth));
    exchange.response.off('close', giveUp);
    if (typeof fate === 'object') {
      const headers = { 'Content-Type': 'application/json', ...fate.headers };
      return send(exchange, fate.status, fate.body ?? '{}', headers);
    }
    if (fate !== 'cut') perform();
    if (fate === 'cut' || fate === 'unheard') exchange.response.destroy();
    else sendJson(exchange, { number }, {}, 201);
  }

  #perform(lane: string, number: number, key: string): void {
    const known = this.#keys.get(key);
    if (key === '' || (known !== undefined && known !== number)) this.mixed += 1;
    if (known !== undefined) return;
    this.#keys.set(key, number);
    this.performed.set(lane, [...(this.performed.get(lane) ?? []), number]);
  }
}
