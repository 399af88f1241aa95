import type { BrowserContext } from '@playwright/test';

/**
 * Makes the clock of the worker that runs now so many times faster, its timers with it: what a back-off takes half
 * a minute for is seen in a second. The page, the server and the network keep their pace.
 */
export async function hasten(context: BrowserContext, factor: number): Promise<void> {
  const worker = context.serviceWorkers().at(-1) ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate((times) => {
    const began = Date.now();
    const { now } = Date;
    const wait = globalThis.setTimeout;
    Date.now = () => began + (now() - began) * times;
    Object.assign(globalThis, {
      setTimeout: (work: () => void, milliseconds = 0) => wait(work, milliseconds / times),
    });
  }, factor);
}

/** Takes all chance out of the worker that runs now: every wait is the shortest of those it may choose from. */
export async function withoutJitter(context: BrowserContext): Promise<void> {
  const worker = context.serviceWorkers().at(-1) ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(() => {
    Math.random = () => 0;
  });
}
