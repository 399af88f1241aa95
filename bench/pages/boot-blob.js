// The same by TanStack Query, with all queries in one record of IndexedDB.

import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { createAsyncStoragePersister } from '@tanstack/query-async-storage-persister';
import { persistQueryClientRestore, persistQueryClientSave } from '@tanstack/query-persist-client-core';
import { get } from 'idb-keyval';
import { controlled, fetchItem, offerBoot, until } from './boot.js';
import { storage } from './idb-storage.js';

const persister = createAsyncStoragePersister({
  storage,
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
    await until(() => get('REACT_QUERY_OFFLINE_CACHE'));
  },
  async show(name, told) {
    await persistQueryClientRestore({ queryClient: client, persister, maxAge: Infinity });
    const observer = new QueryObserver(client, query(name));
    observer.subscribe(({ data }) => data && told(data));
    const { data } = observer.getCurrentResult();
    if (data) told(data);
  },
});
