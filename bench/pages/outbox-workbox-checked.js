// Writes that Workbox keeps and sends, with a replay of the app's own in the worker.

import { offerWorkbox } from './workbox.js';

offerWorkbox();
