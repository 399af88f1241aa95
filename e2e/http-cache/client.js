// Plays the suite in a page: its client asks through a Resource, where it would ask through fetch.

import { getResults, runTests } from '../suite/client/runner.mjs';
import suites from '../suite/tests/index.mjs';

/** What the suite says of a request, by headers that no answer varies with. Here it goes beside the request. */
const BESIDE = ['test-id', 'test-name', 'req-num'];

const { Resource, connect } = window.offstage;
const connection = connect({ timeout: 10_000 });

async function fetchThrough(url, { method = 'GET', headers: given = [], body } = {}) {
  const headers = new Headers(given);
  const number = headers.get('req-num');
  const init = { method, headers, body };
  if (number === null) return fetch(url, init);
  for (const name of BESIDE) headers.delete(name);
  if (!headers.has('accept')) headers.set('accept', '*/*');
  await fetch(`/next${new URL(url, location.href).pathname}?number=${number}`, { method: 'POST' });
  return responseOf(await askThrough(url, method, body ?? null, headers));
}

/** The event that ends the call. */
function askThrough(url, method, body, headers) {
  const resource = new Resource(undefined, { connection });
  resource.map('ask', method, url);
  return new Promise((resolve) => {
    resource.addListener('success', resolve);
    resource.addListener('error', resolve);
    resource.invoke('ask', {}, body, { headers, cache: 'strict' });
  });
}

/** As fetch has it: an answer of any status is one, and without an answer there is an error. */
async function responseOf({ status, headers, response, error }) {
  if (status === 0) throw new TypeError(error?.message ?? 'no answer');
  const text = response instanceof Blob ? await response.text() : (response ?? '');
  return { status, statusText: '', headers: new Headers(headers), text: async () => String(text) };
}

window.played = (async () => {
  await connection.ready;
  await runTests(suites, fetchThrough, true, '');
  const kinds = suites.flatMap(({ tests }) => tests.map(({ id, kind = 'required' }) => [id, kind]));
  return { results: getResults(), kinds: Object.fromEntries(kinds) };
})();
