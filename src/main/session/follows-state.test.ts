import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { unreachable } from '../../shared/unreachable.ts';
import { FakeSystem } from '../../worker/platform/system.fixture.ts';
import { EngineLife, FollowingPage, JSON_TYPE, PERIOD, StateServer, turns } from './follows-state.fixture.ts';
import type { Fault, Following, Representation } from './follows-state.fixture.ts';

/** What happens in the world. */
type Event =
  | { readonly kind: 'state'; readonly seed: number; readonly rows: number; readonly shape: Shape }
  | { readonly kind: 'form'; readonly type: string; readonly isStorable: boolean; readonly confirms: boolean }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'pass'; readonly milliseconds: number }
  | { readonly kind: 'storage'; readonly isFull: boolean }
  | { readonly kind: 'worker dies' | 'cache cleared' | 'stored by another engine' }
  | { readonly kind: PageEvent; readonly page: number };

type PageEvent =
  | 'calls'
  | 'follows'
  | 'leaves'
  | 'restarts'
  | 'freezes'
  | 'thaws'
  | 'goes away'
  | 'comes back'
  | 'is hidden'
  | 'is shown';

type Shape = 'list' | 'spaced' | 'inner' | 'map';

const state = fc.record({
  kind: fc.constant('state' as const),
  seed: fc.nat(5),
  rows: fc.constantFrom(0, 3, 60, 70),
  shape: fc.constantFrom<Shape[]>('list', 'spaced', 'inner', 'map'),
});

const form = fc.record({
  kind: fc.constant('form' as const),
  type: fc.constantFrom(JSON_TYPE, JSON_TYPE, 'text/plain'),
  isStorable: fc.boolean(),
  confirms: fc.boolean(),
});

const fault = fc.record({
  kind: fc.constant('fault' as const),
  fault: fc.constantFrom<Fault[]>('none', 'none', 'network', 'refused', 'portal', 'truncated', 'late'),
});

const pass = fc.record({
  kind: fc.constant('pass' as const),
  milliseconds: fc.constantFrom(0, 1_000, PERIOD, PERIOD, 2 * PERIOD),
});

const storage = fc.record({ kind: fc.constant('storage' as const), isFull: fc.boolean() });

const ofWorker = fc.record({
  kind: fc.constantFrom(
    'worker dies' as const,
    'cache cleared' as const,
    'stored by another engine' as const,
  ),
});

const ofPage = fc.record({
  kind: fc.constantFrom<PageEvent[]>(
    'calls',
    'follows',
    'leaves',
    'restarts',
    'freezes',
    'thaws',
    'goes away',
    'comes back',
    'is hidden',
    'is hidden',
    'is shown',
  ),
  page: fc.nat(1),
});

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: state },
  { weight: 2, arbitrary: form },
  { weight: 2, arbitrary: fault },
  { weight: 8, arbitrary: pass },
  { weight: 1, arbitrary: storage },
  { weight: 3, arbitrary: ofWorker },
  { weight: 6, arbitrary: ofPage },
);

/** Turns of the event loop until the next event, which then falls into what comes of the one before. */
const hastes: fc.Arbitrary<number | null> = fc.oneof(fc.constant(null), fc.nat(60));

const ways: fc.Arbitrary<Following> = fc
  .tuple(
    fc.constantFrom<Omit<Following, 'chunk'>[]>(
      { isHeld: false, hidden: 'slow' },
      { isHeld: false, hidden: 'pause' },
      { isHeld: true, hidden: 'slow' },
      { isHeld: false, hidden: 'continue' },
    ),
    fc.constantFrom(150, 600, 1_000_000),
  )
  .map(([way, chunk]) => ({ ...way, chunk }));

/** Rows of some 50 bytes, some of which go by the seed. */
function textOf(seed: number, count: number, shape: Shape): string {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: (index * 7 + (seed === 5 ? 3 : 0)) % 71,
    title: `The title of row ${index}`,
    value: index % 10 === seed ? seed : -0.5,
  }));
  switch (shape) {
    case 'list':
      return JSON.stringify(rows);
    case 'spaced':
      return JSON.stringify(rows, null, 1);
    case 'inner':
      return `{"seed":${seed},"__proto__":{"rows":${JSON.stringify(rows)}}}`;
    case 'map':
      return JSON.stringify(Object.fromEntries(rows.map((row) => [`key ${row.id}`, row])));
    default:
      return unreachable(shape);
  }
}

/** A server, a worker that may die at any time, and two pages. */
class World {
  readonly system: FakeSystem = new FakeSystem();
  readonly server: StateServer;
  readonly pages: readonly FollowingPage[];
  readonly #following: Following;
  #life: EngineLife;
  #isFull = false;
  #said: Representation = { type: JSON_TYPE, isStorable: true, text: textOf(0, 60, 'list') };

  constructor(following: Following, hasDatabase: boolean) {
    if (!hasDatabase) Object.assign(this.system, { indexedDB: null });
    this.system.grant();
    this.#following = following;
    this.server = new StateServer(this.system);
    this.server.say(this.#said);
    this.#life = this.#engine();
    this.pages = [this.#open('page 0', () => this.#life), this.#open('page 1', () => this.#life)];
    this.pages[0]?.follow(following);
  }

  /** `haste` is how soon the next happens: null where all that comes of this comes first. */
  async happen(happening: Event, haste: number | null): Promise<void> {
    switch (happening.kind) {
      case 'state':
        this.#say({ text: textOf(happening.seed, happening.rows, happening.shape) });
        break;
      case 'form':
        this.server.confirms = happening.confirms;
        this.#say({ type: happening.type, isStorable: happening.isStorable });
        break;
      case 'fault':
        // What a held loop is told first is compared with nothing.
        this.server.fault =
          this.#following.isHeld && happening.fault === 'portal' ? 'refused' : happening.fault;
        break;
      case 'pass':
        await this.system.clock.advance(happening.milliseconds);
        break;
      case 'storage':
        this.#isFull = happening.isFull;
        break;
      case 'worker dies':
        // A greeting that is never answered is given up after three seconds, by the page's own clock.
        if (this.pages.some(({ isGreeting }) => isGreeting)) await turns();
        this.#replaceWorker();
        break;
      case 'cache cleared':
        this.pages[0]?.clearCache();
        break;
      case 'stored by another engine':
        await this.#storeElsewhere();
        break;
      default:
        this.#happenTo(this.pages[happening.page], happening.kind);
    }
    if (haste === null) await turns();
    else for (let turn = 0; turn < haste; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** All is well again, for longer than the longest back-off. */
  async heal(): Promise<void> {
    this.server.fault = 'none';
    this.#isFull = false;
    for (const page of this.pages) {
      page.comeBack();
      page.thaw();
    }
    await turns();
    await this.system.clock.advance(70_000);
    await turns();
  }

  /** Those that are hidden catch up; what is overdue since the worker died meanwhile is spread over half a period. */
  async show(): Promise<void> {
    for (const page of this.pages) page.setHidden(false);
    await turns();
    await this.system.clock.advance(PERIOD / 2);
    await turns();
  }

  close(): void {
    for (const page of this.pages) page.close();
    this.#life.end();
  }

  #happenTo(page: FollowingPage | undefined, kind: PageEvent): void {
    switch (kind) {
      case 'calls':
        return page?.call();
      case 'follows':
        return page?.follow(this.#following);
      case 'leaves':
        return page?.leave();
      case 'restarts':
        return page?.restart();
      case 'freezes':
        if (page) page.isFrozen = true;
        return undefined;
      case 'thaws':
        return page?.thaw();
      case 'goes away':
        return page?.goAway();
      case 'comes back':
        return page?.comeBack();
      case 'is hidden':
        return page?.setHidden(true);
      case 'is shown':
        return page?.setHidden(false);
      default:
        return unreachable(kind);
    }
  }

  #say(change: Partial<Representation>): void {
    this.#said = { ...this.#said, ...change };
    this.server.say(this.#said);
  }

  #replaceWorker(): void {
    // No browser starts a worker within the millisecond in which the one before has told something.
    this.system.clock.set(1);
    const old = this.#life;
    this.#life = this.#engine();
    old.end();
  }

  async #storeElsewhere(): Promise<void> {
    const life = this.#engine();
    const page = this.#open('elsewhere', () => life);
    page.call();
    await turns();
    page.close();
  }

  #engine(): EngineLife {
    return new EngineLife(this.system, () => this.#isFull, this.#following.chunk);
  }

  #open(name: string, life: () => EngineLife): FollowingPage {
    return new FollowingPage(name, this.system, this.server, life);
  }
}

type Happening = readonly [event: Event, haste: number | null];

/** What all must come to; returns the pages. */
async function play(
  how: Following,
  hasDatabase: boolean,
  happenings: readonly Happening[],
): Promise<readonly FollowingPage[]> {
  const world = new World(how, hasDatabase);
  await turns();
  for (const each of happenings) await world.happen(...each);
  await world.heal();
  await world.show();
  const { pages, server, system } = world;
  const told = (): unknown[] =>
    pages.filter(({ isFollowing }) => isFollowing).map(({ heard }) => server.meaningOf(heard));
  const newest = told().map(() => server.meaningOf(String(server.newest)));
  expect(told()).toEqual(newest);
  const asked = system.requests.length;
  await system.clock.advance(3 * PERIOD);
  expect(pages.flatMap(({ faults }) => faults)).toEqual([]);
  expect(told()).toEqual(newest);
  // Nobody asks for the whole again and again.
  expect(system.requests.length - asked).toBeLessThanOrEqual(4);
  world.close();
  return pages;
}

/** What makes patches, notices and lists in chunks, whatever else is played. */
const USUAL: readonly Event[] = [
  { kind: 'follows', page: 1 },
  { kind: 'pass', milliseconds: PERIOD },
  { kind: 'state', seed: 1, rows: 60, shape: 'list' },
  { kind: 'pass', milliseconds: PERIOD },
  { kind: 'is hidden', page: 0 },
  { kind: 'state', seed: 2, rows: 60, shape: 'list' },
  { kind: 'pass', milliseconds: PERIOD },
  { kind: 'is shown', page: 0 },
];

test('whatever happens, pages hear what the server said, nothing older after newer, and the newest in the end', async () => {
  let [patches, notices, lists] = [0, 0, 0];
  const happenings = fc.array(fc.tuple(event, hastes), { minLength: 3, maxLength: 25 });
  const usual: [Following, boolean, Happening[]] = [
    { isHeld: false, hidden: 'slow', chunk: 600 },
    true,
    USUAL.map((each) => [each, null]),
  ];
  await fc.assert(
    fc.asyncProperty(ways, fc.boolean(), happenings, async (...world) => {
      const [page] = await play(...world);
      patches += page?.patches ?? 0;
      notices += page?.notices ?? 0;
      lists += page?.lists ?? 0;
    }),
    { numRuns: 30, examples: [usual] },
  );
  expect(patches).toBeGreaterThan(0);
  expect(notices).toBeGreaterThan(0);
  expect(lists).toBeGreaterThan(0);
});

test('so they do wherever a list that comes in chunks is cut off', async () => {
  const list: Event = { kind: 'state', seed: 1, rows: 70, shape: 'inner' };
  const comes: Happening[] = [
    [list, null],
    [{ kind: 'pass', milliseconds: PERIOD }, null],
  ];
  const cuts = fc.constantFrom<Event[]>(
    { kind: 'worker dies' },
    { kind: 'goes away', page: 1 },
    { kind: 'freezes', page: 1 },
    { kind: 'leaves', page: 1 },
    { kind: 'restarts', page: 1 },
  );
  // Some of these fall into the list.
  const examples: [boolean, number, Event][] = [6, 8, 10, 12].map((turn) => [
    true,
    turn,
    { kind: 'worker dies' },
  ]);
  let cutOff = 0;
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.integer({ min: 4, max: 40 }), cuts, async (isHeld, turn, cut) => {
      const pages = await play({ isHeld, hidden: 'slow', chunk: 150 }, true, [
        ...comes,
        [{ kind: 'follows', page: 1 }, turn],
        [cut, 2],
        [{ kind: 'follows', page: 1 }, null],
      ]);
      cutOff += (pages[1]?.begun ?? 0) - (pages[1]?.lists ?? 0);
    }),
    { numRuns: 60, examples },
  );
  expect(cutOff).toBeGreaterThan(0);
});

test('a page that restarts a held loop before it has heard anything hears the newest', async () => {
  for (let turn = 0; turn < 12; turn += 1) {
    const [, page] = await play({ isHeld: true, hidden: 'slow', chunk: 1_000_000 }, true, [
      [{ kind: 'follows', page: 1 }, turn],
      [{ kind: 'restarts', page: 1 }, null],
    ]);
    expect(page?.heard).toBe('0');
  }
});
