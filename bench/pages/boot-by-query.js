// The same by TanStack Query, with a record in IndexedDB for each query.

import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { experimental_createQueryPersister } from '@tanstack/query-persist-client-core';
import { keys } from 'idb-keyval';
import { controlled, fetchItem, offerBoot, until } from './boot.js';
import { storage } from './idb-storage.js';

const { persisterFn } = experimental_createQueryPersister({
  storage,
  maxAge: Infinity,
});
const client = new QueryClient();
client.mount();
const query = (name) => ({
  queryKey: ['item', name],
  queryFn: () => fetchItem(name),
  persister: persisterFn,
});

offerBoot({
  prepare: () => controlled('/boot-by-query/worker.js'),
  async ask(names) {
    await Promise.all(names.map((name) => client.fetchQuery(query(name))));
    client.clear();
  },
  stored: (count) => until(async () => (await keys()).length >= count),
  show(name, told) {
    const observer = new QueryObserver(client, query(name));
    observer.subscribe(({ data }) => data && told(data));
  },
});
