import { connect, Resource, RestStore } from 'offstage';
import { offer } from './page.js';

let rows = null;

offer({
  async prepare() {
    await connect({ serviceWorker: '/service-worker.js' }).ready;
  },
  start(url, interval, told) {
    const list = new Resource({ get: { method: 'GET', url } });
    rows = new RestStore(list, 'get').window(0, 50);
    rows.subscribe(told);
    list.poll('get', {}, { interval });
  },
  data: () => rows?.model,
});
