import useSWR from 'swr';
import { fetchJson } from './page.js';
import { offerHook } from './react.js';

offerHook((url, interval) => useSWR(url, fetchJson, { refreshInterval: interval, dedupingInterval: 0 }).data);
