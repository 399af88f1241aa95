// A page that changes rows of a list which it polls, with this library.

import { changeRow, connect, Resource, RestStore } from 'offstage';
import { offer } from './page.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

let store = null;
let list = null;

offer({
  prepare: () => connect({ serviceWorker: '/service-worker.js' }).ready,
  start(url, interval, told) {
    list = new Resource(
      {
        list: { method: 'GET', url },
        change: {
          method: 'POST',
          url: '/writes/{id}',
          headers: JSON_TYPE,
          offline: 'queue',
          lane: () => 'writes',
          optimistic: { list: changeRow },
        },
      },
      { name: 'list' },
    );
    store = new RestStore(list, 'list');
    store.subscribe(told);
    list.poll('list', {}, { interval });
  },
  data: () => store?.model,
  call: async () => null,
});

/** Changes a row; it is shown when this returns. */
globalThis.bench.write = (id, number) => list.change({ id }, { number, title: 'written' });
globalThis.bench.rowId = (index) => store.model[index].id;
globalThis.bench.written = () => store.model.filter(({ title }) => title === 'written').length;
