import { configureStore } from '@reduxjs/toolkit';
import { createApi, fetchBaseQuery } from '@reduxjs/toolkit/query';
import { fetchSmall, offer } from './page.js';

let data = () => undefined;

offer({
  start(url, interval, told) {
    const api = createApi({
      baseQuery: fetchBaseQuery({ baseUrl: location.origin }),
      endpoints: (build) => ({ list: build.query({ query: () => url }) }),
    });
    const store = configureStore({
      reducer: { [api.reducerPath]: api.reducer },
      middleware: (defaults) => defaults().concat(api.middleware),
    });
    const select = api.endpoints.list.select();
    data = () => select(store.getState()).data;
    store.subscribe(told);
    const subscription = store.dispatch(
      api.endpoints.list.initiate(undefined, { subscriptionOptions: { pollingInterval: interval } }),
    );
    // Without React the interval takes effect only when it is said again: RTK Query's documentation, "Polling".
    subscription.updateSubscriptionOptions({ pollingInterval: interval });
  },
  data: () => data(),
  call: fetchSmall,
});
