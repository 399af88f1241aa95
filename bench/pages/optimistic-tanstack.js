// The same with TanStack Query, by the cache, as its documentation has it. A poll goes on meanwhile.

import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/query-core';
import { fetchJson, fetchSmall, offer } from './page.js';

const client = new QueryClient();
let observer = null;
let key = null;

offer({
  start(url, interval, told) {
    client.mount();
    key = [url];
    observer = new QueryObserver(client, {
      queryKey: key,
      queryFn: () => fetchJson(url),
      refetchInterval: interval,
    });
    observer.subscribe(told);
  },
  data: () => observer?.getCurrentResult().data,
  call: fetchSmall,
});

const mutation = new MutationObserver(client, {
  mutationFn: async ({ id, number }) => {
    const response = await fetch(`/writes/${id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ number, title: 'written' }),
    });
    if (!response.ok) throw new Error(`Status ${response.status}`);
  },
  retry: true,
  retryDelay: 120_000,
  onMutate: async ({ id, number }) => {
    await client.cancelQueries({ queryKey: key });
    const change = (row) => (row.id === id ? { ...row, number, title: 'written' } : row);
    client.setQueryData(key, (rows) => rows.map(change));
  },
});

globalThis.bench.write = (id, number) => void mutation.mutate({ id, number });
globalThis.bench.rowId = (index) => observer.getCurrentResult().data[index].id;
globalThis.bench.written = () =>
  observer.getCurrentResult().data.filter(({ title }) => title === 'written').length;
