// Writes that TanStack DB keeps and sends, in the page.

import { createCollection, localOnlyCollectionOptions } from '@tanstack/db';
import { NonRetriableError, startOfflineExecutor } from '@tanstack/offline-transactions';
import { until } from './boot.js';
import { offerOutbox, send } from './outbox.js';

const items = createCollection(localOnlyCollectionOptions({ id: 'items', getKey: ({ number }) => number }));

const executor = startOfflineExecutor({
  collections: { items },
  mutationFns: {
    async save({ transaction, idempotencyKey }) {
      const response = await send(transaction.mutations[0].modified, idempotencyKey);
      if (response.status >= 400 && response.status < 500) throw new NonRetriableError('Refused');
      if (!response.ok) throw new Error('Server error');
      // What is not JSON, such as a captive portal's page, is tried again.
      await response.json();
    },
  },
});

const waiting = async () => (await executor.peekOutbox()).length;

offerOutbox({
  async prepare() {
    await executor.waitForInit();
    if (!executor.isOfflineEnabled) throw new Error('This page is not the leader.');
  },
  async queue(all) {
    for (const each of all) {
      const offline = executor.createOfflineTransaction({ mutationFnName: 'save', autoCommit: false });
      offline.mutate(() => items.insert(each));
      // It resolves when the server has performed it.
      offline.commit().catch((error) => globalThis.bench.errors.push(String(error)));
    }
    await until(async () => (await waiting()) >= all.length);
    return waiting();
  },
  waiting,
});
