import { offerOurs } from './ours.js';

// Beside the page, where its scope is: see peers.mjs.
offerOurs({
  serviceWorker: '/offstage-transform/worker.js',
  action: { transform: ['listed', 'copied'] },
});
