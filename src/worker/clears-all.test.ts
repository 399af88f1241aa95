import { expect, test } from 'vitest';
import type { LoopDeclaration } from '../shared/protocol.ts';
import { invocation } from './cache/invocation.fixture.ts';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { Deferred } from './platform/waiting.ts';
import { Tab } from './tab.fixture.ts';

const FEED: Partial<LoopDeclaration> = {
  loop: 1,
  pace: { kind: 'long-poll' },
  invocation: invocation({ template: '/feed' }),
  cursor: {
    kind: 'feed',
    from: { kind: 'body', pointer: '/last' },
    plus: 0,
    to: { kind: 'query', name: 'since' },
    initial: '0',
    catchUp: null,
  },
};

const STATE: Partial<LoopDeclaration> = {
  ...FEED,
  loop: 2,
  invocation: invocation({ template: '/state' }),
  ...(FEED.cursor && { cursor: { ...FEED.cursor, kind: 'state' } }),
};

const POLL: Partial<LoopDeclaration> = {
  loop: 3,
  pace: every(1_000),
  invocation: invocation({ template: '/list' }),
};

/** A server whose feed and state have news each time they are let go, and a list; all are followed. */
class Stage {
  readonly world = new FakeSystem();
  readonly tab: Tab;
  readonly #held: Deferred<Response>[] = [];
  #last = 0;

  constructor() {
    this.world.grant();
    this.world.serve = ({ url }) => this.#answer(new URL(url));
    const house = houseOf(this.world);
    this.tab = new Tab((source, envelope) => house.receive(source, envelope));
  }

  /** The loops are followed, and have had an answer each. */
  static async begun(): Promise<Stage> {
    const stage = new Stage();
    for (const wish of [FEED, STATE, POLL]) await stage.tab.declare(wish);
    await until(() => stage.#held.length === 2 && stage.ticks.length >= 1);
    await stage.letGo();
    return stage;
  }

  get ticks(): number[] {
    return this.tab.deliveries.flatMap((each) => (each.kind === 'tick' ? [each.loop] : []));
  }

  /** Both held requests are answered with news, which is told; the next ones are out. */
  async letGo(): Promise<void> {
    const before = this.ticks.length;
    for (const held of this.#held.splice(0)) held.resolve(json({ last: (this.#last += 1), secret: 'news' }));
    for (let turn = 0; turn < 40 && this.#held.length < 2; turn += 1) await this.world.clock.advance(100);
    await until(() => this.#held.length === 2 && this.ticks.length >= before + 2);
    await settle();
  }

  async clear(): Promise<void> {
    await this.tab.remote.control({ kind: 'clear-cache' });
  }

  /** What the stores of the partition have. */
  async stored(...names: readonly string[]): Promise<unknown[]> {
    const { indexedDB } = this.world;
    if (!indexedDB) throw new Error('There is no database');
    const database = await answerTo(indexedDB.open('offstage:/#default'));
    const all = names.map((name) => answerTo(database.transaction(name).objectStore(name).getAll()));
    const found = (await Promise.all(all)).flat();
    database.close();
    return found;
  }

  #answer({ pathname }: URL): Response | Promise<Response> {
    if (pathname === '/list') return json([{ id: 1 }], { ETag: '"1"' });
    const held = new Deferred<Response>();
    this.#held.push(held);
    return held.promise;
  }
}

function answerTo<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(new Error('The database has failed')));
  });
}

const STORES = ['responses', 'bodies', 'patches', 'loops', 'feeds'];

test('clearing leaves no answer, no feed and no state of a loop', async () => {
  const stage = await Stage.begun();
  expect(await stage.stored('responses')).not.toEqual([]);
  expect(await stage.stored('loops')).not.toEqual([]);
  expect(await stage.stored('feeds')).not.toEqual([]);
  await stage.clear();
  expect(await stage.stored(...STORES)).toEqual([]);
});

test('what is under way meanwhile is told and not stored, and no cursor after it', async () => {
  const stage = await Stage.begun();
  await stage.clear();
  const before = stage.ticks.length;
  await stage.letGo();
  expect(stage.ticks.slice(before)).toEqual(expect.arrayContaining([1, 2]));
  expect(await stage.stored('feeds', 'responses')).toEqual([]);
  const states = await stage.stored('loops');
  expect(states.map((each) => Object(each).record.cursor)).toEqual(states.map(() => null));
});

test('a state that is asked for after it is stored again, with its cursor', async () => {
  const stage = await Stage.begun();
  await stage.clear();
  await stage.letGo();
  await stage.letGo();
  expect(JSON.stringify(await stage.stored('loops'))).toContain('"cursor":"');
  expect(await stage.stored('responses')).not.toEqual([]);
});

test('a loop that runs asks for the whole next', async () => {
  const stage = await Stage.begun();
  await stage.clear();
  await stage.world.clock.advance(1_000);
  await settle();
  const [request] = stage.world.requests.filter(({ url }) => url.endsWith('/list')).slice(-1);
  expect(request?.headers.has('if-none-match')).toBe(false);
});
