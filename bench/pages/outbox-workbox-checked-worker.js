// Workbox with an `onSync` of the app's own, which puts back what was not answered as it should be.

import { Queue } from 'workbox-background-sync';
import { clientsClaim } from 'workbox-core';
import { registerRoute } from 'workbox-routing';
import { NetworkOnly } from 'workbox-strategies';

self.skipWaiting();
clientsClaim();

const writes = new Queue('writes', { maxRetentionTime: 24 * 60, onSync: replay });

async function replay({ queue }) {
  for (let entry = await queue.shiftRequest(); entry; entry = await queue.shiftRequest()) {
    try {
      check(await fetch(entry.request.clone()));
    } catch (error) {
      await queue.unshiftRequest(entry);
      throw error;
    }
  }
}

function check(response) {
  const isJson = response.headers.get('Content-Type')?.includes('json') === true;
  if (!response.ok || !isJson) throw new Error(`The server did not answer this: ${response.status}`);
}

registerRoute(
  ({ url }) => url.pathname.startsWith('/writes/'),
  new NetworkOnly({
    plugins: [{ fetchDidFail: ({ request }) => writes.pushRequest({ request }) }],
  }),
  'POST',
);
