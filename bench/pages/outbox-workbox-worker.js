// Workbox as its documentation sets it up, with the plugin that has a 5xx tried again.

import { BackgroundSyncPlugin } from 'workbox-background-sync';
import { clientsClaim } from 'workbox-core';
import { registerRoute } from 'workbox-routing';
import { NetworkOnly } from 'workbox-strategies';

self.skipWaiting();
clientsClaim();

const failsOnServerError = {
  async fetchDidSucceed({ response }) {
    if (response.status >= 500) throw new Error('Server error');
    return response;
  },
};
const queued = new BackgroundSyncPlugin('writes', { maxRetentionTime: 24 * 60 });

registerRoute(
  ({ url }) => url.pathname.startsWith('/writes/'),
  new NetworkOnly({ plugins: [failsOnServerError, queued] }),
  'POST',
);
