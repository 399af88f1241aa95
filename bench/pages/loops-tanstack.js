// The same by TanStack Query.

import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { offerLoops } from './loops.js';
import { fetchJson } from './page.js';

const client = new QueryClient();
client.mount();

offerLoops({
  poll(url, interval, show) {
    const observer = new QueryObserver(client, {
      queryKey: [url],
      queryFn: () => fetchJson(url),
      refetchInterval: interval,
    });
    observer.subscribe(({ data }) => show(data));
  },
});
