import { describe, expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { headerValue } from '../../shared/header.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call, FOR_A_MINUTE, seconds } from './freshness.fixture.ts';

const TEXT = { 'Content-Type': 'text/plain', ...FOR_A_MINUTE };

function part(range = 'bytes=2-4', ...more: Header[]): { readonly headers: readonly Header[] } {
  return { headers: [['Range', range], ...more] };
}

/** A server that sends parts as asked for, and counts; its whole answer is stored. */
async function stored(headers: Readonly<Record<string, string>> = TEXT): Promise<EngineStage> {
  const stage = new EngineStage(({ headers: asked }) =>
    asked.has('range')
      ? new Response(`part ${stage.system.requests.length}`, { status: 206, headers })
      : new Response('0123456789', { headers }),
  );
  await call(stage);
  return stage;
}

describe('a part of a stored answer', () => {
  test('is served without a request, as its server would', async () => {
    const stage = await stored();
    await seconds(stage, 10);
    const outcome = await call(stage, 'default', part());
    expect(outcome).toMatchObject({ servedFrom: 'cache', stale: false, age: 10, revision: null });
    expect(outcome.answer).toMatchObject({ status: 206, body: { value: '234' } });
    const told = outcome.answer?.headers ?? [];
    expect(['content-range', 'content-length', 'etag'].map((name) => headerValue(told, name))).toEqual([
      'bytes 2-4/10',
      '3',
      '"1"',
    ]);
    expect(stage.system.requests).toHaveLength(1);
  });

  test('leaves the whole as it is', async () => {
    const stage = await stored();
    await call(stage, 'default', part());
    expect(gist(await call(stage))).toBe('0123456789');
    expect(stage.system.requests).toHaveLength(1);
  });

  test.each([
    ['is not fresh', {}, async (stage: EngineStage) => seconds(stage, 61)],
    ['was outdated by a write', {}, async (stage: EngineStage) => call(stage, 'default', { method: 'PUT' })],
    ['is another one than If-Range names', part('bytes=2-4', ['If-Range', '"2"']), async () => {}],
    ['has a condition of the page', part('bytes=2-4', ['If-None-Match', '"1"']), async () => {}],
    ['has no such bytes', part('bytes=10-'), async () => {}],
    ['is to be reloaded', { ...part(), policy: { revalidate: true } }, async () => {}],
  ])('is asked for where that %s', async (_, wish, before) => {
    const stage = await stored();
    await before(stage);
    const { length } = stage.system.requests;
    expect(gist(await call(stage, 'default', { ...part(), ...wish }))).toBe(`part ${length + 1}`);
  });

  test('is asked for where the whole is for another language', async () => {
    const stage = await stored({ ...TEXT, Vary: 'X-Lang' });
    expect(gist(await call(stage, 'default', part('bytes=2-4', ['X-Lang', 'de'])))).toBe('part 2');
  });

  test('is asked for where another user of the hook has brought the whole', async () => {
    const stage = await stored();
    stage.hook = (request) => request.setRequestHeader('Authorization', 'bert');
    expect(gist(await call(stage, 'default', part()))).toBe('part 2');
  });

  test('is served to cache-only and cache-first, however old', async () => {
    const stage = await stored();
    await seconds(stage, 61);
    for (const policy of ['cache-only', 'cache-first'] as const)
      expect(await call(stage, policy, part())).toMatchObject({ stale: true, answer: { status: 206 } });
    expect(stage.system.requests).toHaveLength(1);
  });

  test('stands where the network fails, as the whole would', async () => {
    const stage = await stored();
    await seconds(stage, 61);
    stage.system.serve = () => Promise.reject(new TypeError('cut'));
    expect(gist(await call(stage))).toBe('0123456789');
    const outcome = await call(stage, 'default', part());
    expect(outcome).toMatchObject({
      stale: true,
      revision: null,
      answer: { status: 206, body: { value: '234' } },
    });
    expect(gist(await call(stage, 'default', part('bytes=2-4', ['If-Range', '"2"'])))).toBe('network');
  });

  test('of another origin is asked for, since nobody can tell whether it was compressed', async () => {
    const stage = await stored();
    const template = 'https://other.example/photo';
    await call(stage, 'default', { template });
    expect(gist(await call(stage, 'default', { ...part(), template }))).toBe('part 3');
  });

  test('that cannot be cut fails where nobody may be asked', async () => {
    const stage = await stored();
    expect(gist(await call(stage, 'cache-only', part('bytes=0-1,3-4')))).toBe('offline');
  });

  test('is asked for by a poll each time', async () => {
    const stage = await stored();
    expect(gist(await stage.invoke(part()))).toBe('part 2');
    expect(gist(await stage.invoke(part()))).toBe('part 3');
  });
});
