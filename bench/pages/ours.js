// A page that polls a list with this library, one way or another.

import { connect, Resource, RestStore } from 'offstage';
import { offer } from './page.js';

/**
 * @param {object} [way]
 * @param {string} [way.serviceWorker]
 * @param {object} [way.action] What the action's description says beside its method and URL.
 * @param {object} [way.delegate] Of the store.
 * @param {object} [way.poll] Options beside the interval.
 */
export function offerOurs({ serviceWorker = '/service-worker.js', action, delegate, poll } = {}) {
  let store = null;
  const small = new Resource({ get: { method: 'GET', url: '/small/{name}' } });
  offer({
    async prepare() {
      await connect({ serviceWorker }).ready;
      await small.result(small.get({ name: 'first' }));
    },
    start(url, interval, told) {
      const list = new Resource({ get: { method: 'GET', url, ...action } });
      store = new RestStore(list, 'get', delegate);
      store.subscribe(told);
      list.poll('get', {}, { interval, ...poll });
    },
    data: () => store?.model,
    call: (name) => small.result(small.get({ name })),
  });
}
