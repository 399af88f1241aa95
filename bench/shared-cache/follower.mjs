// One client: asks for what came after its cursor as soon as it is answered, over a connection of its own, with what
// Chromium would send.

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromiumHeaders } from './chromium-headers.mjs';
import { CURSOR } from './origin.mjs';

/** As in src/worker/scheduling/planner.ts: answers that come at once, bring nothing, and do not move the cursor. */
const IMMEDIATE = 100;
const RUNAWAY = 30;
const LONGEST_PAUSE = 20_000;

export class Follower {
  /** On the clock of `performance`, as all times here. */
  joined = performance.now();
  /** Requests made. */
  asked = 0;
  /** Number of the last change seen. */
  seen = 0;
  /** @type {{ number: number, at: number }[]} When each change was seen. */
  sightings = [];
  /** @type {string[]} What should not have happened. */
  faults = [];
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #leaving = new AbortController();
  #headers;
  #origin;

  /**
   * @param {string} origin Where it asks.
   * @param {number} client
   */
  constructor(origin, client) {
    this.#origin = origin;
    this.#headers = chromiumHeaders(origin, client);
  }

  leave() {
    this.#leaving.abort();
    this.#agent.destroy();
  }

  async follow() {
    const { signal } = this.#leaving;
    let cursor = '0';
    let immediate = 0;
    while (!signal.aborted) {
      const askedAt = performance.now();
      const answer = await this.#ask(cursor).catch((error) => this.#fault(String(error)));
      if (!answer) return;
      const stays = answer.cursor === undefined && performance.now() - askedAt < IMMEDIATE;
      immediate = stays ? immediate + 1 : 0;
      cursor = answer.cursor ?? cursor;
      for (const { number } of answer.changes) this.#see(number);
      if (immediate >= RUNAWAY) await pause(immediate, signal);
    }
  }

  #see(number) {
    if (number !== this.seen + 1) this.#fault(`change ${number} came after ${this.seen}`);
    this.seen = number;
    this.sightings.push({ number, at: performance.now() });
  }

  #fault(what) {
    if (!this.#leaving.signal.aborted) this.faults.push(what);
  }

  /** @returns {Promise<{ cursor: string | undefined, changes: { number: number }[] }>} */
  #ask(cursor) {
    this.asked += 1;
    return new Promise((resolve, reject) => {
      const url = `${this.#origin}/changes?since=${cursor}`;
      const asking = request(url, { agent: this.#agent, headers: this.#headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part));
        response.on('error', reject).on('end', () => {
          if (response.statusCode >= 300) reject(new Error(`answered ${response.statusCode} to ${url}`));
          else resolve({ cursor: response.headers[CURSOR.toLowerCase()], changes: JSON.parse(text || '[]') });
        });
      });
      asking.on('error', reject).end();
    });
  }
}

/** @param {AbortSignal} signal */
function pause(immediate, signal) {
  const milliseconds = Math.min(LONGEST_PAUSE, 1_000 * 2 ** (immediate - RUNAWAY));
  return sleep(milliseconds, null, { signal }).catch(() => null);
}
