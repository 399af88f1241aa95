import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { OriginEvent } from './credentials.ts';

const [API, CDN] = ['https://api.example', 'https://cdn.example'];
type Status = 'reachable' | 'unreachable' | 'failing' | 'unknown';

let page: FakePage;

beforeEach(async () => {
  page = new FakePage();
  await page.connection.ready;
});

afterEach(() => {
  page.leave();
});

/** What the `origins` events said. */
function hear({ connection }: FakePage): (readonly [string, string | null])[] {
  const heard: (readonly [string, string | null])[] = [];
  connection.addEventListener('origins', (event) => {
    if (event instanceof OriginEvent) heard.push([event.origin, event.status]);
  });
  return heard;
}

async function tell(...reports: readonly (readonly [string, Status])[]): Promise<void> {
  await page.host.life.deliver(
    ...reports.map(([origin, status]) => ({ kind: 'origin', origin, status }) as const),
  );
  await flush();
}

describe('what is known of origins', () => {
  test('is at first nothing, then what the worker says', async () => {
    const heard = hear(page);
    expect([...page.connection.origins]).toEqual([]);
    await tell([API, 'reachable'], [CDN, 'unreachable'], [API, 'failing']);
    expect(new Map(page.connection.origins)).toEqual(
      new Map([
        [CDN, 'unreachable'],
        [API, 'failing'],
      ]),
    );
    expect(heard).toEqual([
      [API, 'reachable'],
      [CDN, 'unreachable'],
      [API, 'failing'],
    ]);
  });

  test('is told once, however often the worker says it', async () => {
    const heard = hear(page);
    await tell([API, 'failing']);
    const known = page.connection.origins;
    await tell([API, 'failing'], [CDN, 'unknown']);
    expect(heard).toHaveLength(1);
    expect(page.connection.origins).toBe(known);
  });

  test('does not change in the hands of whoever has it', async () => {
    await tell([API, 'failing']);
    const before = page.connection.origins;
    await tell([API, 'reachable']);
    expect(before.get(API)).toBe('failing');
  });

  test('is forgotten where the worker has forgotten it', async () => {
    const heard = hear(page);
    await tell([API, 'failing'], [API, 'unknown']);
    expect(page.connection.origins.has(API)).toBe(false);
    expect(heard.at(-1)).toEqual([API, null]);
  });

  test('outlives the life of the worker that found it out', async () => {
    await tell([API, 'unreachable']);
    const { connection, host } = page;
    await host.replace();
    await connection.ready;
    expect(connection.origins.get(API)).toBe('unreachable');
  });
});
