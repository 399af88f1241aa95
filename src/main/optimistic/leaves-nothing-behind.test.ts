import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import { Connection } from '../connection/connection.ts';
import { flush } from '../session/host.fixture.ts';
import type { DeclareOptions } from '../resource/action.ts';
import { Resource } from '../resource/resource.ts';
import { done, OptimisticPage } from './optimistic-page.fixture.ts';
import { appendRow, changeRow } from './rows.ts';

const ROWS = Array.from({ length: 10_000 }, (_, id) => ({ id, title: `Photo ${id}`, place: 'here' }));

let page: OptimisticPage;

beforeEach(() => {
  page = new OptimisticPage();
});

afterEach(() => page.leave());

function rename(number: number): WriteReport {
  return {
    ...WRITE,
    entry: `entry-${number}`,
    key: `key-${number}`,
    place: number,
    isShown: true,
    action: 'rename',
    params: [['id', String(number)]],
    headers: [['Content-Type', 'application/json']],
    body: { kind: 'text', text: `{"title":"New ${number}"}` },
  };
}

/** Returns how many of 3,000 writes that are done are kept. */
async function kept(): Promise<number> {
  const query = page.resource.query('list', {});
  query.subscribe(() => {});
  const { pending } = Connection.linkOf(page.connection);
  for (let number = 1; number <= 3_000; number += 1) {
    pending.hear([rename(number)]);
    pending.hear([done(rename(number), page.at(1))]);
  }
  await page.list(ROWS.slice(0, 5), 2);
  pending.hear([rename(3_001)]);
  pending.hear([done(rename(3_001), page.at(1))]);
  return pending.all.length;
}

describe('resources that have gone', () => {
  // A component that makes a resource and disposes it: nothing of it is left with the connection (`signing.follow` holds it weakly).
  test('are not told of writes any more', async () => {
    const { pending } = Connection.linkOf(page.connection);
    const watch = vi.spyOn(pending, 'watch');
    for (let turn = 0; turn < 50; turn += 1) {
      const resource = page.open();
      const leave = resource.query('list', { page: turn }).subscribe(() => {});
      leave();
      await flush();
      resource.dispose();
    }
    await flush();
    expect(watch).toHaveBeenCalledTimes(50);
    expect(pending.isWanted).toBe(false);
  });

  test.each([
    ['with a plain action', false],
    ['with an optimistic one', true],
  ])('are collected, %s', async (_case, isOptimistic) => {
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const gc: unknown = runInNewContext('gc');
    const refs: WeakRef<object>[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const resource = new Resource(
        {
          list: { method: 'GET', url: '/photos{?page}' },
          create: {
            method: 'POST',
            url: '/photos',
            ...(isOptimistic && { optimistic: { list: appendRow } }),
          },
        },
        { connection: page.connection, name: 'gone' },
      );
      const leave = resource.query('list', { page: turn }).subscribe(() => {});
      leave();
      await page.list([], 1);
      resource.dispose();
      refs.push(new WeakRef(resource));
    }
    for (let turn = 0; turn < 10; turn += 1) {
      await flush();
      if (typeof gc === 'function') Reflect.apply(gc, null, []);
    }
    expect(refs.filter((ref) => ref.deref()).length).toBeLessThan(5);
  });
});

describe('memory', () => {
  test('of 3,000 writes that are done, few are kept', async () => {
    expect(await kept()).toBeLessThan(200);
  });

  test.each<[string, DeclareOptions]>([
    ['under none of them', { optimistic: { list: changeRow } }],
    ['of a resource that only invalidates', { invalidates: ['other'] }],
  ])('nor are more where an old answer is shown, %s', async (_case, options) => {
    const resource = new Resource(
      {
        list: { method: 'GET', url: '/photos{?page}' },
        other: { method: 'GET', url: '/other' },
        change: { method: 'POST', url: '/changed', ...options },
      },
      { connection: page.connection, name: 'others' },
    );
    resource.query('other', {}).subscribe(() => {});
    await page.list([], 0);
    expect(await kept()).toBeLessThan(200);
  });
});
