import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../shared/delivery.ts';
import { failed } from '../contracts/outcome.fixture.ts';
import { MemoryLoops } from '../storage/loops.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import type { TickRequest } from '../contracts/engine-request.ts';
import { Changes, cursor, Follower, following, LifeStore, STATE, turns } from '../feeds/feed.fixture.ts';
import { DurableState } from '../scheduling/durable-state.ts';
import { SharedLoop } from './shared-loop.ts';
import type { Membership } from './shared-loop.ts';
import { OPEN, toldBy } from './stage.fixture.ts';

/** One life of the worker. */
interface Life {
  alive: boolean;
  loop: SharedLoop | null;
  readonly members: Map<Follower, Membership>;
  /** Requests to the feed that are out. */
  out: number;
}

/** A server with a feed, the lives of a worker that follow it, and pages that come and go. */
class World {
  readonly clock: VirtualClock = new VirtualClock();
  readonly changes: Changes = new Changes(this.clock);
  readonly store: MemoryLoops = new MemoryLoops(this.clock);
  readonly pages: Follower[] = [];
  readonly gone: Follower[] = [];
  readonly frozen = new Set<Follower>();
  readonly faults: string[] = [];
  readonly #hasCatchUp: boolean;
  #waiting: (() => void)[] = [];
  #life: Life = born();
  #generation = 1;
  #names = 0;

  constructor(hasCatchUp: boolean) {
    this.#hasCatchUp = hasCatchUp;
  }

  join(): void {
    const page = new Follower(`page ${(this.#names += 1)}`, this.#hasCatchUp);
    this.pages.push(page);
    this.#declare(page);
  }

  leave(which: number): void {
    const page = this.#pick(which);
    if (!page) return;
    this.#life.members.get(page)?.leave();
    this.#life.members.delete(page);
    this.pages.splice(this.pages.indexOf(page), 1);
    this.gone.push(page);
  }

  /** The same page declares its loop again to the same life. */
  restart(which: number): void {
    const page = this.#pick(which);
    if (!page) return;
    this.#life.members.get(page)?.leave();
    this.#declare(page, true);
  }

  freeze(which: number): void {
    const page = this.#pick(which);
    if (page) this.frozen.add(page);
  }

  thaw(): void {
    this.frozen.clear();
    for (const take of this.#waiting.splice(0)) take();
  }

  /** The worker is killed; each page declares its loop again when it hears of that. */
  kill(delays: readonly number[]): void {
    this.#life.alive = false;
    this.#waiting = [];
    this.#generation += 1;
    const life = born();
    this.#life = life;
    for (const [index, page] of this.pages.entries())
      void this.#declareIn(delays[index % delays.length] ?? 0, page, life);
  }

  async log(): Promise<number> {
    return (await this.store.entries('key', 0, 2_000)).length;
  }

  #pick(which: number): Follower | undefined {
    return this.pages[which % Math.max(1, this.pages.length)];
  }

  async #declareIn(delay: number, page: Follower, life: Life): Promise<void> {
    if (delay > 0) await this.clock.sleep(delay);
    if (life.alive && this.pages.includes(page) && !life.members.has(page)) this.#declare(page);
  }

  #declare(page: Follower, restart = false): void {
    const life = this.#life;
    const { again, position } = page;
    const wish = following({
      again,
      position,
      restart,
      cursor: cursor({ catchUp: this.#hasCatchUp ? STATE : null }),
    });
    life.loop ??= this.#start(life, wish);
    life.members.set(page, life.loop.join(page.name, wish, false));
  }

  #start(life: Life, wish: ReturnType<typeof following>): SharedLoop {
    const generation = this.#generation;
    const store = new LifeStore(
      this.store,
      () => life.alive,
      () => this.#generation,
    );
    const uuid = (): string => `log ${(this.#names += 1)}`;
    const state = new DurableState({
      clock: this.clock,
      store,
      uuid,
      generation: () => generation,
      key: async () => 'key',
    });
    const loop: SharedLoop = new SharedLoop(
      wish,
      { clock: this.clock, random: () => 0.5 },
      {
        invoke: (request) => this.#invoke(life, loop, request),
        state,
        newest: async () => null,
        acts: async () => {},
        forget: () => {},
        urlOf: () => null,
        admission: () => OPEN,
        ...toldBy((page, delivery, taken) => this.#tell(life, page, delivery, taken)),
      },
      () => {
        if (life.loop === loop) life.loop = null;
      },
    );
    return loop;
  }

  async #invoke(
    life: Life,
    loop: SharedLoop,
    { invocation, addition, signal }: TickRequest,
  ): ReturnType<Changes['state']> {
    if (!life.alive) return new Promise(() => {});
    await turns(2);
    const isState = invocation.action === 'state';
    if (!isState && life.loop === loop && !signal.aborted && life.alive) life.out += 1;
    const counted = !isState && life.loop === loop && !signal.aborted && life.alive;
    if (life.out > 1) this.faults.push(`${life.out} requests are out`);
    if (counted) signal.addEventListener('abort', () => (life.out -= 1));
    const place = Number(addition.query[0]?.[1]);
    const outcome = await (isState ? this.changes.state() : this.changes.answer(place, signal));
    if (counted && !signal.aborted) life.out -= 1;
    await turns(2);
    if (!life.alive) return new Promise(() => {});
    return signal.aborted ? failed('aborted') : outcome;
  }

  #tell(life: Life, name: string, delivery: Delivery, taken?: () => void): void {
    const page = this.pages.find((each) => each.name === name);
    if (!life.alive || !page) return;
    page.hear(delivery);
    const take = (): void => {
      if (life.alive) taken?.();
    };
    if (this.frozen.has(page)) this.#waiting.push(take);
    else queueMicrotask(take);
  }
}

function born(): Life {
  return { alive: true, loop: null, members: new Map(), out: 0 };
}

type Step =
  | {
      readonly kind: 'make' | 'leave' | 'restart' | 'freeze' | 'fail' | 'turns' | 'pass';
      readonly by: number;
    }
  | { readonly kind: 'join' | 'thaw' | 'forget' }
  | { readonly kind: 'kill'; readonly delays: readonly number[] };

function by(
  kind: 'make' | 'leave' | 'restart' | 'freeze' | 'fail' | 'turns' | 'pass',
  max: number,
): fc.Arbitrary<Step> {
  return fc.record({ kind: fc.constant(kind), by: fc.nat({ max }) });
}

const delay = fc.oneof(fc.constant(0), fc.nat({ max: 3_000 }), fc.integer({ min: 14_000, max: 40_000 }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: by('make', 9) },
  { weight: 1, arbitrary: by('make', 300) },
  { weight: 6, arbitrary: by('turns', 40) },
  { weight: 4, arbitrary: by('pass', 3_000) },
  { weight: 2, arbitrary: by('pass', 30_000) },
  { weight: 1, arbitrary: fc.constant({ kind: 'pass', by: 400_000 } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'join' } as const) },
  { weight: 1, arbitrary: by('leave', 5) },
  { weight: 2, arbitrary: by('restart', 5) },
  { weight: 2, arbitrary: by('freeze', 5) },
  { weight: 2, arbitrary: fc.constant({ kind: 'thaw' } as const) },
  { weight: 1, arbitrary: by('fail', 3) },
  { weight: 1, arbitrary: fc.constant({ kind: 'forget' } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      delays: fc.array(delay, { minLength: 1, maxLength: 4 }),
    }),
  },
);

async function perform(world: World, each: Step): Promise<void> {
  switch (each.kind) {
    case 'make':
      return world.changes.make(each.by);
    case 'fail':
      return void (world.changes.failing += each.by);
    case 'forget':
      return void (world.changes.oldest = world.changes.last);
    case 'turns':
      return turns(each.by);
    case 'pass':
      return world.clock.advance(each.by);
    case 'kill':
      return world.kill(each.delays);
    case 'join':
    case 'thaw':
      return world[each.kind]();
    default:
      return world[each.kind](each.by);
  }
}

/** What is left when all is quiet and everybody has had time to come back. */
async function rest(world: World): Promise<void> {
  world.changes.failing = 0;
  world.thaw();
  await world.clock.advance(120_000);
  world.thaw();
  world.changes.make(1);
  await world.clock.advance(60_000);
}

describe.each([false, true])(
  'whatever becomes of pages, worker and server, catching up: %s',
  (hasCatchUp) => {
    test('each page hears every change in order, once, until it is told otherwise; and nothing is left', async () => {
      const lives = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const world = new World(hasCatchUp);
        world.join();
        for (const each of steps) {
          await perform(world, each);
          expect(await world.log()).toBeLessThanOrEqual(1_000);
        }
        await rest(world);
        await settle();
        expect(world.faults).toEqual([]);
        for (const page of [...world.pages, ...world.gone]) expect(page.faults).toEqual([]);
        for (const page of world.pages)
          expect([page.name, page.next]).toEqual([page.name, world.changes.last + 1]);
        expect(world.pages.length === 0 ? 0 : await world.log()).toBe(0);
      });
      await fc.assert(lives, { numRuns: 60 });
    });
  },
);
