// A page that has some rows of a list, and never the whole.

import { connect, Resource, RestStore } from 'offstage';
import { offer } from './page.js';

/** @param {() => Promise<unknown>} [rehearse] What the page has done before. */
export function offerWindow(rehearse = async () => {}) {
  let rows = null;
  offer({
    async prepare() {
      await connect({ serviceWorker: '/service-worker.js' }).ready;
      await rehearse();
    },
    start(url, interval, told) {
      rows = openWindow(url, interval, told).rows;
    },
    data: () => rows?.model,
  });
}

export function openWindow(url, interval, told) {
  const list = new Resource({ get: { method: 'GET', url } });
  const rows = new RestStore(list, 'get').window(0, 50);
  rows.subscribe(told);
  return { rows, loop: list.poll('get', {}, { interval }) };
}
