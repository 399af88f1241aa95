import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import useSWR from 'swr';
import { fetchJson, fetchSmall, offer } from './page.js';

let shown;

function List({ url, interval, told }) {
  const { data } = useSWR(url, fetchJson, { refreshInterval: interval, dedupingInterval: 0 });
  shown = data;
  queueMicrotask(told);
  return null;
}

offer({
  start(url, interval, told) {
    createRoot(document.createElement('div')).render(createElement(List, { url, interval, told }));
  },
  data: () => shown,
  call: fetchSmall,
});
