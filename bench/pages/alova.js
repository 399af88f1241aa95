import { createAlova } from 'alova';
import { useAutoRequest } from 'alova/client';
import adapterFetch from 'alova/fetch';
import ReactHook from 'alova/react';
import { offerHook } from './react.js';

const alova = createAlova({
  statesHook: ReactHook,
  requestAdapter: adapterFetch(),
  cacheFor: null,
  responded: (response) => response.json(),
});

// Its throttle of a second would swallow the ticks of shorter intervals.
offerHook(
  (url, interval) => useAutoRequest(() => alova.Get(url), { pollingTime: interval, throttle: 0 }).data,
);
