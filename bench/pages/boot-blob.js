// The same by TanStack Query, with all queries in one record of IndexedDB.

import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { createAsyncStoragePersister } from '@tanstack/query-async-storage-persister';
import { persistQueryClientRestore, persistQueryClientSave } from '@tanstack/query-persist-client-core';
import { del, get, set } from 'idb-keyval';
import { controlled, fetchItem, offerBoot } from './boot.js';

const persister = createAsyncStoragePersister({
  storage: {
    getItem: (key) => get(key),
    setItem: (key, value) => set(key, value),
    removeItem: (key) => del(key),
  },
  throttleTime: 0,
});
const client = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } });
client.mount();
const query = (name) => ({ queryKey: ['item', name], queryFn: () => fetchItem(name) });

offerBoot({
  prepare: () => controlled('/boot-blob/worker.js'),
  ask: (names) => Promise.all(names.map((name) => client.fetchQuery(query(name)))),
  async stored() {
    await persistQueryClientSave({ queryClient: client, persister });
    while (!(await get('REACT_QUERY_OFFLINE_CACHE'))) await new Promise((resolve) => setTimeout(resolve, 50));
  },
  async show(name, told) {
    await persistQueryClientRestore({ queryClient: client, persister, maxAge: Infinity });
    const observer = new QueryObserver(client, query(name));
    observer.subscribe(({ data }) => data && told(data));
    const { data } = observer.getCurrentResult();
    if (data) told(data);
  },
});
