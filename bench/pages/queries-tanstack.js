// The same by TanStack Query.

import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { fetchSmall } from './page.js';
import { offerQueries } from './watched.js';

const client = new QueryClient();
client.mount();

offerQueries({
  prepare: async () => {},
  watch(name, told) {
    const observer = new QueryObserver(client, { queryKey: [name], queryFn: () => fetchSmall(name) });
    observer.subscribe(told);
    return { data: () => observer.getCurrentResult().data, refresh: () => observer.refetch() };
  },
  call: (name) => client.fetchQuery({ queryKey: [name], queryFn: () => fetchSmall(name) }),
});
