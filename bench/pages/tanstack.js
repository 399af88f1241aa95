import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { fetchJson, fetchSmall, offer } from './page.js';

let observer = null;

offer({
  start(url, interval, told) {
    const client = new QueryClient();
    client.mount();
    observer = new QueryObserver(client, {
      queryKey: [url],
      queryFn: () => fetchJson(url),
      refetchInterval: interval,
    });
    observer.subscribe(told);
  },
  data: () => observer?.getCurrentResult().data,
  call: fetchSmall,
});
