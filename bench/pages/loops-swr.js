// The same by SWR: a component for each poll.

import { createElement, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import useSWR from 'swr';
import { offerLoops } from './loops.js';
import { fetchJson } from './page.js';

const root = createRoot(document.createElement('div'));
const lists = [];

function List({ url, interval, show }) {
  const { data } = useSWR(url, fetchJson, { refreshInterval: interval, dedupingInterval: 0 });
  useEffect(() => show(data), [data, show]);
  return null;
}

offerLoops({
  poll(url, interval, show) {
    lists.push(createElement(List, { key: url, url, interval, show }));
    root.render([...lists]);
  },
});
