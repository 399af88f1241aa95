import type { Page } from '@playwright/test';
import type { PlannedCall } from '../page/calls.ts';
import type { Told } from './checker.ts';
import type { Random } from './random.ts';

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'];

/** Milliseconds that a call is given. */
const DEADLINE = 10_000;

/** Milliseconds within which all are made. */
export const SPREAD = 200;

/** Milliseconds that the server takes for one at most. */
export const SLOWEST = 80;

/** Calls of all methods. Their keys begin with `prefix`, and end with the milliseconds that the server takes. */
export function plannedCalls(random: Random, count: number, prefix: string): PlannedCall[] {
  return Array.from({ length: count }, (_, index) => {
    const method = random.one(METHODS);
    const ms = random.between(0, SLOWEST);
    const key = `${prefix}.${index}.${ms}`;
    // The PUTs of a tab replace one another, in order: one that came late would be seen as a second effect.
    const item = method === 'PUT' ? `item of ${prefix}` : key;
    const url = `/effects?call=${key}&item=${encodeURIComponent(item)}&ms=${ms}`;
    const lane = method === 'PUT' ? { lane: 'put' } : {};
    return { key, method, url, after: random.between(0, SPREAD), deadline: DEADLINE, ...lane };
  });
}

/** Has a page make them; resolves to how each has ended. */
export function makeCalls(page: Page, plan: readonly PlannedCall[]): Promise<Told[]> {
  return page.evaluate((calls) => window.calls.makeCalls(calls), plan);
}
