// The worker of a peer's page.

import { serveShell } from './shell.js';

serveShell(self);
