import type { JSHandle, Page } from '@playwright/test';
import type { Resource, RestStore } from 'offstage';
import { expect, test } from './test.ts';

test('a store follows though another tab had the news stored first, and its event says changed', async ({
  page,
  openTab,
  server,
}) => {
  const one = await open(page);
  const two = await open(await openTab());
  await fetch(`${server.url}/etag`, { method: 'POST' });
  expect(await refresh(one)).toEqual({ version: 2, changed: true });
  // To the worker this is a 304, since the first tab's answer is stored; to this tab it is news.
  expect(await refresh(two)).toEqual({ version: 2, changed: true });
  expect(await refresh(two)).toEqual({ version: 2, changed: false });
});

interface Opened {
  readonly versioned: Resource;
  readonly store: RestStore;
}

/** A store on the document of `/etag`, which it has once. */
async function open(page: Page): Promise<JSHandle<Opened>> {
  return page.evaluateHandle(async () => {
    const { Resource, RestStore } = window.offstage;
    const versioned = new Resource({ get: { method: 'GET', url: '/etag' } });
    const store = new RestStore(versioned, 'get');
    await versioned.result(versioned.get());
    return { versioned, store };
  });
}

/** What the store has after the document was asked for again, and what the event said of it. */
async function refresh(opened: JSHandle<Opened>): Promise<unknown> {
  return opened.evaluate(async ({ versioned, store }) => {
    let changed = null;
    const forget = versioned.addListener('getSuccess', (event) => {
      changed = event.changed;
    });
    await versioned.result(versioned.refresh('get') ?? 0);
    forget();
    return { version: Object(store.model).version, changed };
  });
}
