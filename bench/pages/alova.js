import { createAlova } from 'alova';
import { useAutoRequest } from 'alova/client';
import adapterFetch from 'alova/fetch';
import ReactHook from 'alova/react';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { fetchSmall, offer } from './page.js';

let shown;
const alova = createAlova({
  statesHook: ReactHook,
  requestAdapter: adapterFetch(),
  cacheFor: null,
  responded: (response) => response.json(),
});

function List({ url, interval, told }) {
  // Its throttle of a second would swallow the ticks of shorter intervals.
  const { data } = useAutoRequest(() => alova.Get(url), { pollingTime: interval, throttle: 0 });
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
