import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from '@playwright/test';
import { row } from './rows.ts';
import type { Row } from '../row.ts';

/** The browser gives up waking the worker for what waits. A round is one such time. */
export const lastChance: Row = row(
  { number: 31, name: 'last-chance', rounds: { short: 3, long: 50 }, slow: true },
  async (world, { rounds }, stage) => {
    const wake = await wakerOf(world.tab, stage.server.url);
    world.server.fate = () => 'cut';
    await world.queue(20);
    const before = attemptsOf(world.server.attempts);
    for (let round = 0; round < rounds; round += 1) {
      await wake();
      await sleep(50);
    }
    return [
      { name: 'attempts as it was woken', value: attemptsOf(world.server.attempts) - before, atLeast: 1 },
    ];
  },
);

function attemptsOf(attempts: ReadonlyMap<number, number>): number {
  return [...attempts.values()].reduce((sum, each) => sum + each, 0);
}

/** Dispatches a `sync` that says that it is the last one. */
async function wakerOf(page: Page, origin: string): Promise<() => Promise<void>> {
  const devtools: CDPSession = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations;
      if (registration) resolve(registration.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  const registrationId = await registered;
  return async () => {
    await devtools.send('ServiceWorker.dispatchSyncEvent', {
      origin: `${origin}/`,
      registrationId,
      tag: 'offstage',
      lastChance: true,
    });
  };
}
