// One round: an origin, something or nothing in front of it, clients that follow it, and changes at random instants.

import { setTimeout as sleep } from 'node:timers/promises';
import { startCache } from './caches.mjs';
import { Follower } from './follower.mjs';
import { Origin } from './origin.mjs';

/** What remains to be seen after the last change has to be seen within this time, in milliseconds. */
const PATIENCE = 15_000;

/** Clients arrive this many at a time. */
const GROUP = 50;

/**
 * @typedef {object} Setup
 * @property {string | null} cache Null: clients ask the origin itself.
 * @property {number} clients
 * @property {number} changes
 * @property {number} hold Milliseconds.
 * @property {import('./origin.mjs').Flaw} [flaw]
 * @property {(config: string) => string} [edit] Changes the cache's configuration.
 */

/**
 * @param {Setup} setup
 */
export async function playRound({ cache, clients, changes, hold, flaw = null, edit = (text) => text }) {
  const origin = new Origin({ hold, flaw });
  const originPort = await origin.listen();
  const front = cache === null ? null : await startCache(cache, originPort, edit);
  const address = `http://127.0.0.1:${front?.port ?? originPort}`;
  const crowd = new Crowd(address);
  try {
    await crowd.grow(clients);
    const first = origin.slot();
    await makeChanges(origin, Math.ceil(changes / 2));
    await quiet(origin, hold);
    // The first to come are those whose requests the cache has passed on, as likely as not.
    await crowd.renew(Math.ceil(clients / 20));
    await sleep(1_000);
    await makeChanges(origin, Math.floor(changes / 2));
    const lacking = await crowd.lacking(changes);
    // What they ask next counts as well.
    await sleep(1_000);
    return { ...resultOf(origin, crowd.all), lacking, ends: origin.slot() - first };
  } finally {
    crowd.leave();
    await front?.stop();
    origin.close();
  }
}

/** Now and then three within 50 ms, else about two a second. */
async function makeChanges(origin, count) {
  for (let made = 0; made < count; made += 1) {
    const inBurst = made % 5 === 3 || made % 5 === 4;
    await sleep(inBurst ? Math.random() * 25 : 150 + Math.random() * 700);
    origin.change();
  }
}

/** Until a hold has run out, with nothing changing from begin to end. */
async function quiet(origin, hold) {
  const slot = origin.slot();
  while (origin.slot() < slot + 2) await sleep(Math.min(200, hold / 10));
  await sleep(1_500);
}

class Crowd {
  /** @type {Follower[]} Those who left included. */
  all = [];
  #present = [];
  #address;

  constructor(address) {
    this.#address = address;
  }

  async grow(count) {
    for (let added = 0; added < count; added += 1) {
      const follower = new Follower(this.#address, this.all.length);
      this.all.push(follower);
      this.#present.push(follower);
      void follower.follow();
      if (added % GROUP === GROUP - 1) await sleep(20);
    }
    await sleep(1_000);
  }

  /** The first leave, and as many come anew. */
  async renew(count) {
    for (const follower of this.#present.splice(0, count)) follower.leave();
    await this.grow(count);
  }

  /** @returns {Promise<number>} How many have not, when patience is over. */
  async lacking(number) {
    const lacking = () => this.#present.filter(({ seen }) => seen !== number).length;
    const until = performance.now() + PATIENCE;
    while (lacking() > 0 && performance.now() < until) await sleep(50);
    return lacking();
  }

  leave() {
    for (const follower of this.#present) follower.leave();
  }
}

/**
 * @param {Origin} origin
 * @param {Follower[]} followers
 */
function resultOf(origin, followers) {
  const reached = [...origin.asked.values()];
  const delays = followers.flatMap(({ joined, sightings }) =>
    sightings
      .filter(({ number }) => origin.log[number - 1] > joined)
      .map(({ number, at }) => at - origin.log[number - 1]),
  );
  const sorted = delays.toSorted((a, b) => a - b);
  return {
    asked: sum(followers.map((each) => each.asked)),
    reached: sum(reached),
    mostOfOneUrl: Math.max(...reached),
    median: sorted[sorted.length >> 1] ?? 0,
    worst: sorted.at(-1) ?? 0,
    faults: followers.flatMap((each) => each.faults),
  };
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
