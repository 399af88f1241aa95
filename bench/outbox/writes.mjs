// The server's side of queued writes: what it answers to each attempt, and a book of all effects.

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What becomes of one attempt. `performed`: it has its effect and is answered. `unheard`: it has its effect, and no answer
 * ever arrives. `swallowed`: it never arrives. `busy`: 503. `unauthorized`: 401. `portal`: a captive portal's page, with status 200.
 *
 * @typedef {'performed' | 'unheard' | 'swallowed' | 'busy' | 'unauthorized' | 'portal'} Fate
 */

/** Performs each key once, as a server should that is asked with `Idempotency-Key`: `POST /writes/{lane}` with `{ number }`. */
export class Writes {
  /** What becomes of the attempt of that write, whose `nth` it is. @type {(number: number, nth: number) => Fate} */
  fate = () => 'performed';
  /** Milliseconds until an attempt is answered. */
  takes = 0;
  /** Requests that have arrived. */
  requests = 0;
  /** Requests for a write that had its effect already. Without a key, each would be a second effect. */
  repeated = 0;
  /** Attempts without an answer, at present. */
  unanswered = 0;
  /** When the last request arrived, by `performance.now()`. */
  lastRequestAt = -Infinity;
  /** @type {number | null} */
  #firstRequestAt = null;
  #lastEffectAt = Number.NaN;
  /** @type {Set<string>} */
  #keys = new Set();
  /** By number. @type {Map<number, number>} */
  #attempts = new Map();
  /** By number. @type {Map<number, number>} */
  #effects = new Map();

  /** Writes that have had an effect. */
  get performed() {
    return this.#effects.size;
  }

  /** Writes that have had more than one. */
  get twice() {
    return [...this.#effects.values()].filter((effects) => effects > 1).length;
  }

  /** Milliseconds from the first request to the last effect. */
  get drain() {
    return this.#lastEffectAt - (this.#firstRequestAt ?? Number.NaN);
  }

  /** Milliseconds since the first request; 0 before it. */
  get age() {
    return this.#firstRequestAt === null ? 0 : performance.now() - this.#firstRequestAt;
  }

  /**
   * Until so many writes have had an effect.
   *
   * @param {number} count
   * @param {number} limit Milliseconds.
   * @returns {Promise<boolean>} False where that takes longer.
   */
  async reached(count, limit) {
    const until = performance.now() + limit;
    while (this.performed < count && performance.now() < until) await sleep(2);
    return this.performed >= count;
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async take(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { number } = JSON.parse(Buffer.concat(parts).toString());
    const fate = this.#note(number, String(request.headers['idempotency-key'] ?? ''));
    if (fate === 'unheard' || fate === 'swallowed') {
      // It ends with its worker or page.
      this.unanswered += 1;
      response.once('close', () => (this.unanswered -= 1));
      return;
    }
    if (this.takes > 0) await sleep(this.takes);
    if (fate === 'performed') answer(response, 201, 'application/json', JSON.stringify({ number }));
    else if (fate === 'busy') answer(response, 503, 'application/json', '{}');
    else if (fate === 'unauthorized') answer(response, 401, 'application/json', '{}');
    else answer(response, 200, 'text/html', '<!doctype html><title>Please sign in</title>');
  }

  /**
   * An attempt has arrived.
   *
   * @param {number} number
   * @param {string} key
   */
  #note(number, key) {
    const now = performance.now();
    this.requests += 1;
    this.#firstRequestAt ??= now;
    this.lastRequestAt = now;
    const nth = (this.#attempts.get(number) ?? 0) + 1;
    this.#attempts.set(number, nth);
    if (this.#effects.has(number)) this.repeated += 1;
    const fate = this.fate(number, nth);
    const isKnown = key !== '' && this.#keys.has(key);
    if ((fate === 'performed' || fate === 'unheard') && !isKnown) {
      this.#keys.add(key);
      this.#effects.set(number, (this.#effects.get(number) ?? 0) + 1);
      this.#lastEffectAt = now;
    }
    return fate;
  }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {string} type
 * @param {string} body
 */
function answer(response, status, type, body) {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': body.length }).end(body);
}
