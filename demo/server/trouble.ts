import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from './problem.ts';
import { json } from './reply.ts';
import { readFields } from './request-body.ts';
import type { Route, Visit } from './router.ts';

/** What goes wrong with the API on purpose, so that one can watch how a client takes it. */
export interface Trouble {
  /** Milliseconds before every answer. */
  readonly delay: number;
  /** Share of requests that fail, 0 to 1. */
  readonly failRate: number;
  /** With which status they fail. */
  readonly status: number;
}

const NONE: Trouble = { delay: 0, failRate: 0, status: 503 };
const LONGEST_DELAY = 60_000;

/** Holds the trouble that all clients share until it is reset. */
export class TroubleMaker {
  #trouble = NONE;

  /** Delays or fails a visit: by what its own query asks for (`delay`, `fail`), then by what holds for all. */
  async pass({ url, signal }: Visit): Promise<void> {
    const { delay, failRate, status } = this.#trouble;
    const own = url.searchParams;
    const wait = own.has('delay') ? bounded(own.get('delay'), 'delay', 0, LONGEST_DELAY) : delay;
    if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
    if (own.has('fail')) throw failure(bounded(own.get('fail'), 'fail', 400, 599));
    if (Math.random() < failRate) throw failure(status);
  }

  routes(): Route[] {
    const path = '/api/trouble';
    const show = () => json(this.#trouble, { 'Cache-Control': 'no-store' });
    return [
      { method: 'GET', path, handle: show },
      {
        method: 'POST',
        path,
        handle: async ({ request }) => {
          const { delay = 0, failRate = 0, status = NONE.status } = await readFields(request);
          this.#trouble = {
            delay: bounded(delay, 'delay', 0, LONGEST_DELAY),
            failRate: bounded(failRate, 'failRate', 0, 1),
            status: bounded(status, 'status', 400, 599),
          };
          return show();
        },
      },
      {
        method: 'DELETE',
        path,
        handle: () => {
          this.#trouble = NONE;
          return show();
        },
      },
    ];
  }
}

function failure(status: number): Problem {
  return new Problem(status, 'This failed on purpose: see /api/trouble.');
}

function bounded(value: unknown, name: string, low: number, high: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && number >= low && number <= high) return number;
  throw new Problem(400, `${name} has to be a number from ${low} to ${high}.`);
}
