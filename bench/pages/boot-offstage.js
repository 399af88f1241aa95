// What this library shows of what was stored.

import { connect, Resource } from 'offstage';
import { offerBoot, until } from './boot.js';

const items = new Resource({ get: { method: 'GET', url: '/item/{name}' } });
const connection = connect({ serviceWorker: '/boot-offstage/worker.js' });

offerBoot({
  prepare: () => connection.ready,
  ask: (names) => Promise.all(names.map((name) => items.result(items.get({ name })))),
  stored: (count) => until(async () => (await connection.inspect()).cache.entries >= count),
  show(name, told) {
    const query = items.query('get', { name });
    const look = () => query.snapshot.data && told(query.snapshot.data);
    query.subscribe(look);
    look();
  },
});
