import { connect } from 'offstage';
import type { Told } from '../faults/checker.ts';
import { makeCalls } from './calls.ts';
import { FOLLOWED, follow } from './loops.ts';
import type { Following } from './loops.ts';

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'];

/** What a page says of one natural death of its worker. */
export interface Outlived {
  /** Milliseconds from the last message to the worker to its death. */
  readonly idle: number;
  /** Whether another life has answered afterwards. */
  readonly renewed: boolean;
  readonly told: readonly Told[];
}

/** Lets so many workers die of idleness so often, each of a scope of its own, and calls again as soon as one is dead. */
export async function outlive(workers: number, rounds: number): Promise<void> {
  await Promise.all(Array.from({ length: workers }, (_, index) => outliveOne(`scope-${index}`, rounds)));
}

async function outliveOne(scope: string, rounds: number): Promise<void> {
  const connection = connect({ serviceWorker: '/service-worker.js', scope: `/${scope}/` });
  for (let round = 0; round < rounds; round += 1) {
    const { instance } = await connection.inspect();
    const idleSince = Date.now();
    // The worker's own lock is free the moment it is dead; waiting for it wakes nobody.
    await navigator.locks.request(`offstage:worker:${instance}`, { mode: 'shared' }, () => {});
    const idle = Date.now() - idleSince;
    const plan = METHODS.map((method) => planned(`${scope}.${round}`, method));
    const told = await makeCalls(plan, connection);
    const renewed = (await connection.inspect()).instance !== instance;
    await report({ idle, renewed, told } satisfies Outlived);
  }
}

/** Polls and long-polls for as long as the page lives, and says every five seconds what it was told. */
export async function soak(): Promise<void> {
  follow('/etag/soak', 'poll', 1_000);
  follow('/hold?key=soak', 'longPoll');
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await report(FOLLOWED satisfies Following[]);
  }
}

function planned(prefix: string, method: string): Parameters<typeof makeCalls>[0][number] {
  const key = `${prefix}.${method}`;
  return { key, method, url: `/effects?call=${key}&item=${key}`, after: 0, deadline: 10_000 };
}

/** Hands the bench what the page has seen. */
export async function report(value: unknown): Promise<void> {
  await fetch('/report', { method: 'POST', body: JSON.stringify(value) });
}
