import { offerWindow, openWindow } from './window.js';

offerWindow(async () => {
  const { promise, resolve } = Promise.withResolvers();
  const { rows, loop } = openWindow('/few', 600_000, (model) => model && resolve(null));
  await promise;
  loop.stop();
  rows.dispose();
});
