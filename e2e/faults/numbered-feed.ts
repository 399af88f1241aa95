import type { Exchange } from '../server/exchange.ts';
import { sendJson } from '../server/exchange.ts';

/** Numbered changes, each an answer of its own; a request for what is yet to come is held until it does. */
export class NumberedFeed {
  last = 0;
  readonly #held = new Set<() => void>();

  make(): number {
    this.last += 1;
    for (const go of this.#held) go();
    this.#held.clear();
    return this.last;
  }

  answer(exchange: Exchange): void {
    const since = Number(exchange.url.searchParams.get('since') ?? 0);
    const tell = (): void => sendJson(exchange, { last: since + 1 }, { 'Cache-Control': 'no-cache' });
    if (since < this.last) tell();
    else this.#held.add(tell);
    exchange.response.on('close', () => this.#held.delete(tell));
  }
}

/** How many of the numbers up to `last` a page has not heard, and how many it has heard again. */
export function lostAndAgain(
  numbers: readonly number[],
  last: number,
): { readonly lost: number; readonly again: number } {
  const heard = new Set(numbers);
  return { lost: last - heard.size, again: numbers.length - heard.size };
}
