import { connect, Resource, RestStore } from 'offstage';
import { offer } from './page.js';

let store = null;
const small = new Resource({ get: { method: 'GET', url: '/small/{name}' } });

offer({
  async prepare() {
    await connect({ serviceWorker: '/service-worker.js' }).ready;
    await small.result(small.get({ name: 'first' }));
  },
  start(url, interval, told) {
    const list = new Resource({ get: { method: 'GET', url } });
    store = new RestStore(list, 'get');
    store.subscribe(told);
    list.poll('get', {}, { interval });
  },
  data: () => store?.model,
  call: (name) => small.result(small.get({ name })),
});
