import { setTimeout as sleep } from 'node:timers/promises';
import type { MortalBrowser } from '../mortal/mortal-browser.ts';
import { MortalChromium } from '../mortal/mortal-chromium.ts';
import type { Row } from '../row.ts';
import { row } from './world.ts';

/** The browser gives up waking the worker for what waits. A round is one such time. No other engine has such events. */
export const lastChance: Row = row(
  { number: 31, name: 'last-chance', rounds: { short: 3, long: 50 }, slow: true, engines: ['chromium'] },
  async (world, { rounds }, browser) => {
    const wake = await wakerOf(browser);
    world.server.fate = () => 'cut';
    await world.queue(20);
    const before = world.server.attempted;
    for (let round = 0; round < rounds; round += 1) {
      await wake();
      await sleep(50);
    }
    return [{ name: 'attempts as it was woken', value: world.server.attempted - before, atLeast: 1 }];
  },
);

/** Dispatches a `sync` that says that it is the last one. */
async function wakerOf(browser: MortalBrowser): Promise<() => Promise<void>> {
  if (!(browser instanceof MortalChromium)) throw new Error('Only Chromium has Background Sync');
  const devtools = await browser.devtools();
  const registered = new Promise<{ registrationId: string; origin: string }>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations;
      if (registration)
        resolve({ registrationId: registration.registrationId, origin: registration.scopeURL });
    });
  });
  await devtools.send('ServiceWorker.enable');
  const { registrationId, origin } = await registered;
  return async () => {
    await devtools.send('ServiceWorker.dispatchSyncEvent', {
      origin,
      registrationId,
      tag: 'offstage',
      lastChance: true,
    });
  };
}
