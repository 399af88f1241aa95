// Ways to have a small answer, and ways to have none but from the worker.

import { connect, Resource } from 'offstage';

const small = new Resource({
  get: { method: 'GET', url: '/small/{name}' },
  refused: { method: 'GET', url: '/small/{name}/more' },
});

const ways = {
  /** The browser's own: a message there and back, by a listener of the same worker. */
  message: () => askBare(null),
  /** The same, with a request of the worker's in between: the least that a library like this can do. */
  relay: async () => {
    const answer = await askBare('/small/relay');
    if (answer.name !== 'relay') throw new Error(`Asked relay, was answered ${answer.name}`);
  },
  /** The worker expands the template and refuses what comes of it: all of a call but the request. */
  refusal: async () => {
    const { code } = await small.result(small.refused({ name: '..' })).catch(({ failure }) => failure);
    if (code !== 'blocked-url') throw new Error(`Refused as ${code}`);
  },
  /** To the headers of the answer, as the `sent` event tells it. */
  sent: () =>
    new Promise((resolve) => {
      small.addEventListener('getSent', () => resolve(null), { once: true });
      small.get({ name: 'sent' });
    }),
  result: async (index = 0) => {
    const name = `result-${index}`;
    const answer = await small.result(small.get({ name }));
    if (answer.name !== name) throw new Error(`Asked ${name}, was answered ${answer.name}`);
  },
  fetch: async (index = 0) => {
    const name = `fetch-${index}`;
    const answer = await fetch(`/small/${name}`).then((response) => response.json());
    if (answer.name !== name) throw new Error(`Asked ${name}, was answered ${answer.name}`);
  },
};

let registration = null;

function askBare(url) {
  return new Promise((resolve) => {
    navigator.serviceWorker.addEventListener('message', function hear({ data }) {
      if (!('benchEcho' in data)) return;
      navigator.serviceWorker.removeEventListener('message', hear);
      resolve(data.benchEcho);
    });
    registration.active.postMessage({ benchEcho: url }, []);
  });
}

globalThis.bench = {
  async prepare() {
    await connect({ serviceWorker: '/service-worker.js' }).ready;
    registration = await navigator.serviceWorker.getRegistration();
    for (const way of Object.values(ways)) for (let times = 0; times < 20; times += 1) await way();
  },
  /** Milliseconds of each of so many, one after the other. */
  async sequence(way, count) {
    const times = [];
    for (let index = 0; index < count; index += 1) {
      const began = performance.now();
      await ways[way]();
      times.push(performance.now() - began);
    }
    return times;
  },
  async burst(way, count) {
    const began = performance.now();
    const calls = Array.from({ length: count }, (_, index) => ways[way](index));
    const called = performance.now() - began;
    const outcomes = await Promise.allSettled(calls);
    const refusals = outcomes
      .filter(({ status }) => status === 'rejected')
      .map(({ reason }) => String(reason));
    return { called, total: performance.now() - began, refused: refusals.length, why: refusals[0] ?? null };
  },
};
