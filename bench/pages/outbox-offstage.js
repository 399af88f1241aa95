// Writes that this library keeps and sends.

import { connect, Resource } from 'offstage';
import { offerOutbox } from './outbox.js';

const writes = new Resource(
  {
    send: {
      method: 'POST',
      url: '/writes/{lane}',
      headers: { 'Content-Type': 'application/json' },
      offline: 'queue',
      lane: ({ lane }) => lane,
    },
  },
  { name: 'writes' },
);
const connection = connect({ serviceWorker: '/service-worker.js' });

offerOutbox({
  prepare: () => connection.ready,
  async queue(all) {
    const ends = await Promise.all(
      all.map(({ lane, number }) => writes.result(writes.send({ lane }, { number }))),
    );
    return ends.filter(({ kind }) => kind === 'queued').length;
  },
  waiting: async () => (await connection.outbox.list()).length,
});
