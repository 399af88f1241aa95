// The worker of this library's page, which serves the page as well.

import { install } from 'offstage/worker';
import { serveShell } from './shell.js';

serveShell(self);
install(self);
