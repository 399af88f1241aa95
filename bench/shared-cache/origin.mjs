// The origin: a numbered log of changes, told by `GET /changes?since=<cursor>`, which is held while there is nothing new.
//
// A cursor is `<number of the last change>-<slot>`. Slots are stretches of the clock, as long as a hold, and a request is
// held only to the end of the slot that its cursor names. The end of a hold thus moves the cursor as a change does: no URL
// is ever held twice, every answer may be stored, and all who waited go on with the same new URL.

import { once } from 'node:events';
import { createServer } from 'node:http';

/** The header of an answer that names the next cursor. */
export const CURSOR = 'Change-Cursor';

/** What came after a cursor stays true. A minute is longer than the slowest needs to follow the others. */
const STORED = 'public, max-age=0, s-maxage=60';

/**
 * How an origin may get it wrong: `same` ends a hold with a 204 and the old cursor, to be stored for a second, `unstored`
 * with one that must not be stored; `sessions` sets a cookie with every answer.
 *
 * @typedef {'same' | 'unstored' | 'sessions' | null} Flaw
 */

export class Origin {
  /** @type {Map<string, number>} How often each cursor was asked for. */
  asked = new Map();
  /** @type {number[]} When each change was made, on the clock of `performance`. */
  log = [];
  #held = new Set();
  #server = createServer((request, response) => this.#answer(request, response));
  #hold;
  #flaw;
  #movesAtEnd;

  /** @param {{ hold: number, flaw: Flaw }} options `hold`: milliseconds. */
  constructor({ hold, flaw }) {
    this.#hold = hold;
    this.#flaw = flaw;
    this.#movesAtEnd = flaw !== 'same' && flaw !== 'unstored';
  }

  /** @returns {Promise<number>} The port. */
  async listen() {
    await once(this.#server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }), 'listening');
    return this.#server.address().port;
  }

  close() {
    for (const end of this.#held) end();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  change() {
    this.log.push(performance.now());
    for (const end of this.#held) end();
  }

  /** The number of the present slot. */
  slot() {
    return Math.floor(Date.now() / this.#hold);
  }

  async #answer(request, response) {
    const since = new URL(request.url, 'http://origin').searchParams.get('since') ?? '0';
    this.asked.set(since, (this.asked.get(since) ?? 0) + 1);
    const [last = 0, slot = 0] = since.split('-').map(Number);
    const limit = last === this.log.length ? this.#limitOf(slot) : 0;
    if (limit > 0) await this.#wait(limit, response);
    if (this.#flaw === 'sessions') response.setHeader('Set-Cookie', 'sid=new');
    const isNews = last < this.log.length;
    if (!isNews && !this.#movesAtEnd) return this.#endInPlace(response);
    // A timer may be early, so that the slot is not quite over.
    const over = !isNews && limit > 0 ? slot + 1 : this.#inReach(slot) ? slot : 0;
    return this.#tell(response, last, Math.max(over, this.slot()));
  }

  /** How long a request with a cursor of this slot is held, in milliseconds. */
  #limitOf(slot) {
    if (!this.#movesAtEnd) return this.#hold;
    return this.#inReach(slot) ? (slot + 1) * this.#hold - Date.now() : 0;
  }

  /** The present slot, or the one ahead: where several servers answer, one's clock is a little behind the other's. */
  #inReach(slot) {
    const now = this.slot();
    return slot === now || slot === now + 1;
  }

  #wait(limit, response) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#held.delete(end);
        resolve();
      };
      const timer = setTimeout(end, limit);
      this.#held.add(end);
      response.once('close', end);
    });
  }

  #tell(response, last, slot) {
    const news = this.log.slice(last).map((_, index) => ({ number: last + index + 1 }));
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Cache-Control', STORED);
    response.setHeader(CURSOR, this.#movesAtEnd ? `${this.log.length}-${slot}` : `${this.log.length}`);
    response.end(JSON.stringify(news));
  }

  #endInPlace(response) {
    response.setHeader('Cache-Control', this.#flaw === 'same' ? 'public, max-age=0, s-maxage=1' : 'no-store');
    response.writeHead(204).end();
  }
}
