import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves as soon as it holds; rejects where it does not in time. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patience = 10_000,
): Promise<void> {
  const giveUpAt = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error(`Waited ${patience} ms in vain: ${what}`);
    await sleep(20);
  }
}
