// A page whose writes Workbox keeps and sends: its worker takes what the page fetches.

import { controlled, until } from './boot.js';
import { offerOutbox, send } from './outbox.js';

export function offerWorkbox() {
  offerOutbox({
    prepare: () => controlled(`${location.pathname}worker.js`),
    async queue(all) {
      // The worker has stored a write when the page's fetch fails.
      const sent = await Promise.allSettled(all.map((each) => send(each, crypto.randomUUID())));
      const failed = sent.filter(({ status }) => status === 'rejected').length;
      // A replay that fails takes one out for a moment.
      await until(async () => (await waiting()) === failed);
      return failed;
    },
    waiting,
  });
}

/** What is in the database of its queue. */
async function waiting() {
  const database = await settled(indexedDB.open('workbox-background-sync'));
  const count = await settled(database.transaction('requests').objectStore('requests').count());
  database.close();
  return count;
}

/** @param {IDBRequest} request */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
