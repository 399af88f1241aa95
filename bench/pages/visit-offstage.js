// A visit where this library asks.

import { connect, Resource } from 'offstage';
import { show, wanted } from './visit.js';

connect({ serviceWorker: '/service-worker.js' });
const things = new Resource({ get: { method: 'GET', url: wanted } });
const query = things.query('get');
query.subscribe(() => show(query.snapshot.data));
