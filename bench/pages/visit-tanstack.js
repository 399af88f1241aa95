// A visit where TanStack Query asks.

import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { fetchJson, show, wanted } from './visit.js';

const client = new QueryClient();
client.mount();
const observer = new QueryObserver(client, { queryKey: [wanted], queryFn: () => fetchJson(wanted) });
observer.subscribe(({ data }) => show(data));
