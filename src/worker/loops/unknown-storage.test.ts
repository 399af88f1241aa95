import { expect, test } from 'vitest';
import type { LogOffset } from '../../shared/delivery.ts';
import { at, Feeds, numbers } from './feeds.fixture.ts';
import { following } from '../feeds/feed.fixture.ts';
import type { LoopStore } from '../contracts/loop-store.ts';
import { every } from './stage.fixture.ts';

type Method = 'find' | 'entries' | 'append' | 'save' | 'prune';

/** A feed whose storage is late or fails, call by call. */
class Stage extends Feeds {
  /** What becomes of the nth call of a method in a life: so many milliseconds go by first, or it fails. */
  fate: (method: Method, nth: number) => number | 'fails' = () => 0;
  readonly #calls = new Map<Method, number>();
  override seen = (store: LoopStore): LoopStore => ({
    find: (...args) => this.#meet('find', () => store.find(...args)),
    save: (...args) => this.#meet('save', () => store.save(...args)),
    append: (...args) => this.#meet('append', () => store.append(...args)),
    entries: (...args) => this.#meet('entries', () => store.entries(...args)),
    prune: (...args) => this.#meet('prune', () => store.prune(...args)),
  });

  /** Three answers are stored, of which the page has taken the first, when the worker is killed. */
  async live(): Promise<LogOffset> {
    this.join('page', following());
    await this.clock.advance(500);
    this.told.find(({ delivery }) => delivery.kind === 'tick')?.taken();
    await this.clock.advance(0);
    const position = this.positionOf('page');
    if (!position) throw new Error('Nothing was told');
    this.kill();
    this.told.length = 0;
    this.#calls.clear();
    return { ...position, offset: 1 };
  }

  async kept(): Promise<readonly number[]> {
    return (await this.stored.entries('key', 0, 2_000)).map(({ offset }) => offset);
  }

  async #meet<T>(method: Method, work: () => Promise<T>): Promise<T> {
    const nth = (this.#calls.get(method) ?? 0) + 1;
    this.#calls.set(method, nth);
    const fate = this.fate(method, nth);
    if (fate === 'fails') throw new Error(`${method} has failed`);
    if (fate > 0) await this.clock.sleep(fate);
    return work();
  }
}

test.each([3_500, 'fails'] as const)(
  'one read at the start that takes 3,500 ms or fails (%s) leaves a feed its place and its answers',
  async (fate) => {
    const stage = new Stage();
    const position = await stage.live();
    const places = stage.places.length;
    // The fourth request was that of the life before.
    stage.last = 5;
    stage.fate = (method, nth) => (method === 'find' && nth <= 2 ? fate : 0);
    stage.join('page', following(at(position)));
    await stage.clock.advance(60_000);
    expect(stage.heardBy('page')).toEqual(['storage', ...numbers(2, 3, 5)]);
    expect(stage.places.slice(places)[0]).toBe('3');
    expect(await stage.stored.find('key')).toMatchObject({ log: position.log, cursor: '5', last: 4 });
  },
);

test('as long as it is not known where a feed was, nothing is asked, stored or removed', async () => {
  const stage = new Stage();
  const position = await stage.live();
  const asked = stage.requests.length;
  const before = await stage.stored.find('key');
  stage.fate = (method) => (method === 'find' ? 'fails' : 0);
  stage.join('page', following(at(position)));
  stage.join('other', following({ loop: 2 }));
  await stage.clock.advance(300_000);
  expect(new Set(stage.heardBy('page'))).toEqual(new Set(['storage']));
  expect(stage.requests).toHaveLength(asked);
  expect([await stage.stored.find('key'), await stage.kept()]).toEqual([before, [1, 2, 3]]);
});

test.each([1, 5])('a log that cannot be read %d times is read again, and nothing is lost', async (times) => {
  const stage = new Stage();
  const position = await stage.live();
  stage.fate = (method, nth) => (method === 'entries' && nth <= times + 1 ? 'fails' : 0);
  stage.join('page', following(at(position)));
  await stage.clock.advance(120_000);
  expect(stage.heardBy('page')).toEqual(numbers(2, 3));
  stage.takeAll();
  await stage.clock.advance(2_000);
  expect(await stage.kept()).toEqual([]);
});

test('a removal that fails is done again', async () => {
  const stage = new Stage();
  stage.fate = (method, nth) => (method === 'prune' && nth <= 2 ? 'fails' : 0);
  stage.join('page', following());
  await stage.clock.advance(500);
  stage.takeAll();
  await stage.clock.advance(30_000);
  expect(await stage.kept()).toEqual([]);
});

test('a poll goes on without its storage, and stores its patience once that can be read', async () => {
  const stage = new Stage();
  stage.reply = () => ({ after: 0, outcome: { kind: 'failed', failure: GONE, answer: null, request: null } });
  stage.join('page', { pace: every(1_000) });
  await stage.clock.advance(20_000);
  const { failures } = (await stage.stored.find('key')) ?? {};
  stage.kill();
  stage.fate = (method, nth) => (method === 'find' && nth === 1 ? 'fails' : 0);
  stage.join('page', { pace: every(1_000) });
  await stage.clock.advance(100);
  const asked = stage.requests.length;
  await stage.clock.advance(60_000);
  expect(stage.requests.length).toBeGreaterThan(asked);
  expect((await stage.stored.find('key'))?.failures).toBeGreaterThan(failures ?? Infinity);
});

const GONE = { code: 'network', message: 'gone' } as const;

test('a page is not told where it begins in a log while that cannot be read', async () => {
  const stage = new Stage();
  await stage.live();
  stage.fate = (method) => (method === 'entries' ? 'fails' : 0);
  stage.join('new', following());
  await stage.clock.advance(1_000);
  expect(stage.positionOf('new')).toBeNull();
  stage.fate = () => 0;
  await stage.clock.advance(31_000);
  expect(stage.heardBy('new')).toEqual(numbers(1, 2, 3));
  expect(stage.positionOf('new')).toMatchObject({ offset: 3 });
});

test('while it is not known where those who come back may go on, nothing of the log is removed', async () => {
  const stage = new Stage();
  const position = await stage.live();
  stage.join('ahead', following(at({ ...position, offset: 3 })));
  const membership = stage.join('behind', following({ loop: 2, ...at(position) }));
  await stage.clock.advance(60_000);
  stage.fate = (method) => (method === 'find' || method === 'append' ? 'fails' : 0);
  stage.last = stage.requests.length + 1;
  await stage.clock.advance(26_000);
  stage.told.length = 0;
  stage.join('behind', following({ loop: 3, ...at(position) }));
  membership.leave();
  await stage.clock.advance(20_000);
  stage.fate = () => 0;
  await stage.clock.advance(120_000);
  expect(
    stage
      .heardBy('behind')
      .filter((heard) => heard !== 'storage')
      .slice(0, 2),
  ).toEqual(numbers(2, 3));
});

/** A feed of which each answer but the one to the last request comes after 100 ms, and of which a page took the first. */
async function behind(last: number): Promise<Stage> {
  const stage = new Stage();
  stage.random = 0;
  stage.last = last;
  stage.join('page', following());
  await stage.clock.advance(150);
  stage.takeAll();
  return stage;
}

/** What a page is told that comes back to the next life of the worker, and has the first answer alone. */
async function toldLater(stage: Stage): Promise<unknown[]> {
  const position = stage.positionOf('page');
  stage.kill();
  stage.fate = () => 0;
  stage.told.length = 0;
  stage.join('page', following(at(position && { ...position, offset: 1 })));
  await stage.clock.advance(1_000);
  return stage.heardBy('page');
}

test('an answer that is stored later than it was waited for takes no newer one’s place', async () => {
  const stage = await behind(4);
  // The third answer is stored after 4.5 s, and the fourth, which was asked for when 3 s were over, before that.
  stage.fate = (method, nth) => (method === 'append' && nth === 3 ? 4_500 : 0);
  await stage.clock.advance(20_000);
  expect(stage.heardBy('page')).toEqual([...numbers(1, 2), 'storage', ...numbers(4)]);
  expect(await stage.stored.find('key')).toMatchObject({ cursor: '4', last: 3 });
  expect(await toldLater(stage)).toEqual(numbers(2, 4));
});

test('that an answer was stored late is not undone by the note that it was not', async () => {
  const stage = await behind(4);
  // As in a database, which writes one after the other.
  stage.fate = (method, nth) => {
    if (method === 'append' && nth === 3) return 3_100;
    return method === 'save' || method === 'find' ? 200 : 0;
  };
  await stage.clock.advance(20_000);
  expect(stage.heardBy('page')).toEqual([...numbers(1, 2), 'storage', ...numbers(3, 4)]);
  expect(await toldLater(stage)).toEqual(numbers(2, 3, 4));
});
