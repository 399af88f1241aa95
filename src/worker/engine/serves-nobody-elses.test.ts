import { describe, expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { json, until } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call, counting, FOR_A_MINUTE } from './freshness.fixture.ts';

const ORIGIN = 'https://page.example';

/** A call by a page that comes, gives this header and stays. */
async function provided(stage: EngineStage, header: Header): Promise<void> {
  stage.credentials.setOrigins('page', [ORIGIN]);
  const answering = call(stage);
  await settle();
  const question = stage.wanted.at(-1)?.question ?? '';
  stage.credentials.hear('page', question, { kind: 'given', headers: [header], expiresAt: null });
  await answering;
}

/** What is stored without asking anybody: as it is told to a page that joins a loop, and to a call. */
async function told(stage: EngineStage): Promise<readonly unknown[]> {
  return [(await stage.newest())?.answer.status ?? null, gist(await call(stage, 'cache-only'))];
}

describe('while nobody is signed in, what is stored', () => {
  test('is not told to a page that joins under other credentials of the hook', async () => {
    const stage = counting();
    const as = (user: string): void => {
      stage.hook = (request) => request.setRequestHeader('Authorization', user);
    };
    as('anna');
    await call(stage);
    expect(await told(stage)).toEqual([200, [1]]);
    expect(await stage.part({ pointer: '', start: 0, count: 1 })).toMatchObject({ kind: 'rows' });
    as('bert');
    expect(await told(stage)).toEqual([null, 'offline']);
    expect(await stage.part({ pointer: '', start: 0, count: 1 })).toMatchObject({ kind: 'not-stored' });
  });

  test.each<Header>([
    ['Authorization', 'anna'],
    ['X-Key', 'anna'],
  ])(
    'is told while the provider that brought it is there, and not to the next page: %s',
    async (...header) => {
      const stage = counting();
      await provided(stage, header);
      expect(await told(stage)).toEqual([200, [1]]);
      stage.credentials.leave('page');
      stage.credentials.setOrigins('other', [ORIGIN]);
      expect(await told(stage)).toEqual([null, 'offline']);
    },
  );

  test('is told to no one where the hook fails or never ends', async () => {
    const stage = counting();
    stage.hook = (request) => request.setRequestHeader('Authorization', 'anna');
    await call(stage);
    stage.hook = () => Promise.reject(new Error('no token'));
    expect(await stage.newest()).toBeNull();
    stage.hook = () => new Promise(() => {});
    const newest = stage.newest();
    await stage.system.clock.advance(30_000);
    expect(await newest).toBeNull();
  });

  test.each(['Cookie', 'Authorization', '*'])(
    'goes once its server confirms it as varying by %s',
    async (vary) => {
      const stage = counting();
      await call(stage);
      stage.system.serve = () =>
        new Response(null, { status: 304, headers: { ...FOR_A_MINUTE, Vary: vary } });
      expect(await stage.invoke()).toMatchObject({ confirmed: true });
      expect(gist(await call(stage, 'cache-only'))).toBe('offline');
      await stage.cache.settled();
      expect(gist(await call(stage.reborn(), 'cache-only'))).toBe('offline');
    },
  );
});

test.each(['Authorization', 'X-Language'])(
  'a call whose hook sets another %s is not told the answer that overtook its own',
  async (name) => {
    const open: ((response: Response) => void)[] = [];
    const stage = new EngineStage(() => new Promise((resolve) => open.push(resolve)));
    stage.hook = (request) => request.setRequestHeader(name, request.action);
    const anna = call(stage, 'default', { action: 'anna' });
    await until(() => open.length === 1);
    const bert = call(stage, 'default', { action: 'bert' });
    await until(() => open.length === 2);
    open[1]?.(json(['bert'], { Vary: 'X-Language' }));
    expect(gist(await bert)).toEqual(['bert']);
    open[0]?.(json(['anna'], { Vary: 'X-Language' }));
    await until(() => open.length === 3);
    open[2]?.(json(['anna'], { Vary: 'X-Language' }));
    expect(gist(await anna)).toEqual(['anna']);
  },
);
