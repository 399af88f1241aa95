// A visit where TanStack Query asks, and keeps what it was answered: one record of IndexedDB for each query.

import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { experimental_createQueryPersister } from '@tanstack/query-persist-client-core';
import { storage } from './idb-storage.js';
import { fetchJson, show, wanted } from './visit.js';

const { persisterFn } = experimental_createQueryPersister({ storage, maxAge: Infinity });
const client = new QueryClient();
client.mount();
const queryFn = () => fetchJson(wanted);
const observer = new QueryObserver(client, { queryKey: [wanted], queryFn, persister: persisterFn });
observer.subscribe(({ data }) => show(data));
