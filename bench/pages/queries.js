// Many small queries that are watched, by this library.

import { connect, Resource } from 'offstage';
import { offerQueries } from './watched.js';

const small = new Resource({ get: { method: 'GET', url: '/small/{name}' } });

offerQueries({
  prepare: () => connect({ serviceWorker: '/service-worker.js' }).ready,
  watch(name, told) {
    const query = small.query('get', { name });
    query.subscribe(told);
    return { data: () => query.snapshot.data, refresh: () => query.refresh() };
  },
  call: (name) => small.result(small.get({ name })),
});
