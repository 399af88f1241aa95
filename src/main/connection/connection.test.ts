import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import type { Update } from './update.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

/** What `update` was at each `update` event. */
function hear({ connection }: FakePage): (Update | null)[] {
  const heard: (Update | null)[] = [];
  connection.addEventListener('update', () => heard.push(connection.update));
  return heard;
}

describe('a newer worker', () => {
  test('is told when it comes to wait and when it waits no more', () => {
    const heard = hear(page);
    const { connection, host } = page;
    expect(connection.update).toBeNull();
    host.wait(true);
    const { update } = connection;
    expect(update).not.toBeNull();
    host.wait(false);
    expect(connection.update).toBeNull();
    expect(heard).toEqual([update, null]);
  });

  test('is the same update as long as one waits, though a newer one still replaces it', () => {
    const heard = hear(page);
    const { connection, host } = page;
    host.wait(false);
    host.wait(true);
    const { update } = connection;
    host.wait(true);
    expect(connection.update).toBe(update);
    expect(heard).toHaveLength(1);
    host.wait(false);
    host.wait(false);
    expect(heard).toHaveLength(2);
    host.wait(true);
    expect(connection.update).not.toBe(update);
    expect(heard).toHaveLength(3);
  });

  test('takes over when it is applied', async () => {
    const heard = hear(page);
    const { connection, host } = page;
    await connection.ready;
    host.wait(true);
    const before = await connection.update?.apply();
    expect(before).toBeUndefined();
    expect(host.life.instance).toBe('life 2');
    expect(host.life.greetings).toBe(1);
    expect(connection.update).toBeNull();
    expect(heard).toHaveLength(2);
  });

  test('is not told to a connection that is closed', () => {
    const heard = hear(page);
    page.connection.close();
    page.host.wait(true);
    expect(page.connection.update).toBeNull();
    expect(heard).toEqual([]);
  });
});

test('while its worker is replaced a connection is connecting', async () => {
  const { connection, host } = page;
  await connection.ready;
  const statuses: string[] = [connection.status];
  connection.addEventListener('status', () => statuses.push(connection.status));
  await host.life.drain();
  const ready = connection.ready;
  await host.replace();
  await ready;
  await flush();
  expect(statuses).toEqual(['connected', 'connecting', 'connected']);
});

/** Decides twice for the page; returns what was warned of. */
function warnings(): unknown[][] {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  page.host.decide('page', 'it did not answer');
  page.host.decide('page', 'it was unregistered');
  const warned = warn.mock.calls;
  warn.mockRestore();
  return warned;
}

describe('an engine that runs in the page', () => {
  test('says why by hostReason, with a host event for each reason', () => {
    const heard: unknown[] = [];
    const { connection } = page;
    connection.addEventListener('host', () => heard.push([connection.host, connection.hostReason]));
    warnings();
    page.host.decide('service-worker', null);
    expect(heard).toEqual([
      ['page', 'it did not answer'],
      ['page', 'it was unregistered'],
      ['service-worker', null],
    ]);
  });

  test('is warned of once in a development build, with the reason', () => {
    expect(warnings()).toEqual([['Offstage runs in the page, not in a service worker: it did not answer']]);
  });

  test('is not warned of in a production build', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(warnings()).toEqual([]);
    vi.unstubAllEnvs();
  });
});
