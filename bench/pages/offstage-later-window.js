import { offerWindow, openWindow } from './window.js';

offerWindow(async () => {
  const { promise, resolve } = Promise.withResolvers();
  const { rows, loop } = openWindow('/few', 600_000, () => rows.model && resolve(null));
  await promise;
  loop.stop();
  rows.dispose();
});
