import type { Page } from '@playwright/test';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Random } from './random.ts';

/** A disturbance of one transaction of the worker, which `after` picks. */
export interface Disturbance {
  readonly kind: 'hangs' | 'fails' | 'late';
  /** So many transactions go undisturbed before. */
  readonly after: number;
  /** Milliseconds that one that is late takes longer. */
  readonly delay: number;
}

const KINDS = ['hangs', 'fails', 'late'] as const;

/** Milliseconds: the longest delay of one that is late, which may be more than the worker waits, and of one that hangs. */
const LONGEST_DELAY = 4_000;
const FOREVER = 120_000;

export function disturbanceOf(random: Random, round: number): Disturbance {
  const kind = KINDS[round % KINDS.length] ?? 'hangs';
  const delay = kind === 'late' ? random.between(100, LONGEST_DELAY) : FOREVER;
  return { kind, after: random.between(0, 3), delay };
}

/** The worker's IndexedDB does from now on to its transactions what pages order. */
export function disturbStorageOf(server: FixtureServer): void {
  server.rewrite('/service-worker.js', (script) => `importScripts('/disturbed-storage.js');\n${script}`);
}

/** How many of the worker's transactions have been disturbed, as far as a page has heard. */
export interface Orders {
  played: number;
  readonly channel: BroadcastChannel;
}

/** Makes the page one that orders disturbances. */
export async function prepareOrders(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    const orders: Orders = { played: 0, channel: new BroadcastChannel('disturbances') };
    orders.channel.addEventListener('message', () => (orders.played += 1));
    Object.assign(window, { orders });
  });
}

export function order(tab: Page, disturbance: Disturbance): Promise<void> {
  return tab.evaluate((wanted) => Object(window).orders.channel.postMessage(wanted, []), disturbance);
}

export function playedOn(tab: Page): Promise<number> {
  return tab.evaluate(() => Object(window).orders.played);
}
