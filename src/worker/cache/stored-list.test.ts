import { describe, expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { EngineStage } from '../engine/engine.fixture.ts';
import { StoredList } from './stored-list.ts';

function shown(): { readonly stage: EngineStage; readonly list: StoredList } {
  const stage = new EngineStage(({ url }) =>
    json({ url }, { 'Cache-Control': 'max-age=60', Vary: 'Accept-Language', Authorization: 'swordfish' }),
  );
  const { responses, cache, system } = stage;
  const removeAll = (url: string): Promise<void> => cache.removeAll(url);
  return { stage, list: new StoredList({ responses, clock: system.clock, removeAll }) };
}

async function store(stage: EngineStage, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await stage.invoke({ template: `/photo/${String(n).padStart(3, '0')}` });
  await stage.cache.settled();
}

describe('what is stored', () => {
  test('is listed a page at a time, without what only leads to it', async () => {
    const { stage, list } = shown();
    await store(stage, 130);
    const urls: string[] = [];
    let pages = 0;
    for (let after: string | null = null; pages === 0 || after !== null; pages += 1) {
      const page = await list.list(after);
      expect(page.entries.length).toBeLessThanOrEqual(100);
      urls.push(...page.entries.map(({ url }) => url));
      after = page.next;
    }
    expect(urls.length).toBe(130);
    expect(new Set(urls).size).toBe(130);
    expect(pages).toBeGreaterThan(1);
  });

  test('is told with its size, and until when it is fresh', async () => {
    const { stage, list } = shown();
    await store(stage, 1);
    const now = stage.system.clock.now();
    const url = 'https://page.example/photo/000';
    const { entries } = await list.list(null);
    const size = JSON.stringify({ url }).length;
    expect(entries).toEqual([{ url, status: 200, storedAt: now, size, freshUntil: now + 60_000 }]);
    await stage.system.clock.advance(60_000);
    expect((await list.list(null)).entries).toMatchObject([{ freshUntil: null }]);
  });

  test('is read by its URL, without secrets, and is removed', async () => {
    const { stage, list } = shown();
    await store(stage, 2);
    const url = 'https://page.example/photo/000';
    const answer = await list.read(url);
    expect(JSON.parse(new TextDecoder().decode(answer?.body))).toEqual({ url });
    expect(JSON.stringify(answer?.headers)).not.toContain('swordfish');
    expect(await list.read('https://page.example/photo')).toBeNull();
    await list.remove(`${url}#part`);
    expect(await list.read(url)).toBeNull();
    expect((await list.list(null)).entries.length).toBe(1);
  });
});
