// Writes that Workbox keeps and sends.

import { offerWorkbox } from './workbox.js';

offerWorkbox();
