// A CouchDB-compatible server over a database in memory, on a free port, which it prints. It runs where its packages
// are: scripts/third-party.mjs installs them and puts this file beside them.

import { createServer } from 'node:http';
import createApp from 'express-pouchdb';
import memory from 'pouchdb-adapter-memory';
import PouchDB from 'pouchdb-core';

const databases = PouchDB.plugin(memory).defaults({ adapter: 'memory' });
const server = createServer(createApp(databases, { mode: 'minimumForPouchDB' }));
server.listen(0, '127.0.0.1', () => console.log(String(server.address().port)));
