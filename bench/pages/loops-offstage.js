// Many polls of a page, by this library.

import { connect, Resource, RestStore } from 'offstage';
import { offerLoops } from './loops.js';

const lists = new Resource({ get: { method: 'GET', url: '/list/{n}' } });

offerLoops({
  prepare: () => connect({ serviceWorker: '/service-worker.js' }).ready,
  poll(url, interval, show) {
    const params = { n: url.slice('/list/'.length) };
    const store = new RestStore(lists, 'get', { params });
    store.subscribe(() => show(store.model));
    lists.poll('get', params, { interval });
  },
});
