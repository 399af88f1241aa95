// Small answers that are stored, many of them, and what is asked while they are.

import { connect, Resource } from 'offstage';

const stored = new Resource({
  get: { method: 'GET', url: '/stored/{name}' },
  tick: { method: 'GET', url: '/stored/tick-{name}' },
});

async function call(name) {
  const answer = await stored.result(stored.get({ name }));
  if (answer.name !== String(name)) throw new Error(`Asked ${name}, was answered ${answer.name}`);
}

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

let ticks = 0;
let loops = [];
let supply = null;
stored.addEventListener('tickSuccess', () => (ticks += 1));

globalThis.bench = {
  errors: [],
  async prepare() {
    await connect({ serviceWorker: '/service-worker.js' }).ready;
    for (let n = 0; n < 20; n += 1) await call(`warm-${n}`);
  },
  ask: call,
  /** So many times ten calls at once for what is stored. */
  async warm(times) {
    for (let n = 0; n < times; n += 1)
      await Promise.all(Array.from({ length: 10 }, (_, each) => call(`warm-${each}`)));
  },
  /** So many answers from that number on, all asked for at once. */
  async burst(from, count) {
    await Promise.all(Array.from({ length: count }, (_, n) => call(from + n)));
  },
  /** Milliseconds of each of so many calls for what is stored, one after the other. */
  async sequence(from, size, count) {
    const times = [];
    for (let n = 0; n < count; n += 1)
      times.push(await timed(() => call(from + Math.floor((n * size) / count))));
    return times;
  },
  /** Milliseconds until all of ten calls for what is stored are answered, which are made at once. */
  ten: (from, size, turn) =>
    timed(() => Promise.all(Array.from({ length: 10 }, (_, n) => call(from + ((turn * 7 + n * 11) % size))))),
  startPolls(count) {
    loops = Array.from({ length: count }, (_, name) => stored.poll('tick', { name }, { interval: 100 }));
  },
  stopPolls() {
    for (const loop of loops) loop.stop();
  },
  get ticks() {
    return ticks;
  },
  /** Asks for so many new URLs a second, until it is stopped. */
  startSupply(perSecond) {
    let n = 0;
    supply = setInterval(
      () => call(`supply-${(n += 1)}`).catch((error) => bench.errors.push(String(error))),
      1_000 / perSecond,
    );
  },
  stopSupply() {
    clearInterval(supply);
  },
};
