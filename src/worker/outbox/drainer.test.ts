import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestBody } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { NewWrite, OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { answered, failed, refused } from '../contracts/outcome.fixture.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Drainer } from './drainer.ts';
import { write } from './write.fixture.ts';

const BODY: RequestBody = { kind: 'text', text: '{}' };

/** What lies on the disk, whoever lives. */
class Disk {
  /** The keys of those that ended long ago. */
  readonly forgotten: string[] = [];
  readonly writes = new Map<number, WaitingWrite>();
  #last = 0;

  add(lane: string): WaitingWrite {
    const place = (this.#last += 1);
    const { place: _place, ...rest } = write(place, { lane });
    const added = { ...rest, place };
    this.writes.set(place, added);
    return added;
  }
}

/** A server that performs each key once, in the order of the keys that come. */
class Server {
  readonly effects: string[] = [];
  readonly attempts: string[] = [];

  perform({ key }: WaitingWrite): void {
    this.attempts.push(key);
    if (!this.effects.includes(key)) this.effects.push(key);
  }
}

/** How an attempt ends: the server performs it and says so, performs it and is not heard, refuses for now, or is away. */
type Fate = 'performed' | 'unheard' | 'later' | 'away';

/** One worker instance on that disk. Once it is dead, nothing of it reaches disk, server or pages. */
class Life {
  readonly disk: Disk;
  readonly server: Server;
  readonly done: string[] = [];
  readonly drainer: Drainer;
  readonly #end = new AbortController();
  isDead = false;
  /** Called before each step that reaches the disk, and after it: a worker may die at either. */
  point: () => void = () => {};
  fates: Fate[] = [];
  fails = 0;

  constructor(clock: VirtualClock, disk: Disk, server: Server) {
    this.disk = disk;
    this.server = server;
    this.drainer = new Drainer({
      clock,
      random: () => 0,
      store: this.#store(),
      send: (sent) => this.#send(sent),
      urlOf: () => null,
      validatorOf: async () => null,
      performed: () => {},
      isProvided: () => false,
      loaded: () => {},
      tell: ({ state, key }) => {
        if (!this.isDead && state === 'done') this.done.push(key);
      },
    });
    void this.drainer.act(this.#end.signal).catch(() => {});
  }

  /** Writes on the disk that are still to be performed. */
  get waiting(): number {
    return [...this.disk.writes.values()].filter(({ state }) => state !== 'done').length;
  }

  die(): void {
    this.isDead = true;
  }

  async rest(): Promise<void> {
    this.#end.abort();
    await settle();
  }

  async #step<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    this.point();
    if (this.isDead) return new Promise(() => {});
    if (this.fails > 0) {
      this.fails -= 1;
      throw new Error('The disk is late');
    }
    const result = work();
    this.point();
    return this.isDead ? new Promise(() => {}) : result;
  }

  async #send(sent: WaitingWrite): Promise<Outcome> {
    const fate = this.fates.shift() ?? 'performed';
    await Promise.resolve();
    this.point();
    if (this.isDead) return new Promise(() => {});
    if (fate === 'performed' || fate === 'unheard') this.server.perform(sent);
    this.point();
    if (this.isDead) return new Promise(() => {});
    if (fate === 'performed') return answered({ status: 201 });
    return fate === 'later' ? refused(503) : failed('network');
  }

  #store(): OutboxStore {
    const { writes } = this.disk;
    return {
      take: async () => {},
      all: async (): Promise<Lookup<readonly WaitingWrite[]>> => ({
        kind: 'found',
        value: [...writes.values()].filter(({ state }) => state !== 'done'),
      }),
      body: async () => ({ kind: 'found', value: BODY }),
      bodies: async (all) => all.map(() => BODY),
      add: async (_new: NewWrite) => Promise.reject(new Error('Not here')),
      change: (changed) =>
        this.#step(() => {
          for (const each of changed) if (writes.has(each.place)) writes.set(each.place, each);
          return new Map();
        }),
      ended: async () => [],
      assertWhole: async () => {},
      forgetEnded: async () => {},
      sweep: async (before) => {
        if (this.isDead) return;
        for (const { place, key, endedAt } of writes.values()) {
          if (endedAt === null || endedAt >= before) continue;
          writes.delete(place);
          this.disk.forgotten.push(key);
        }
      },
      clear: async () => {},
      names: async () => new Map(),
      decide: async () => null,
    };
  }
}

describe('a drainer', () => {
  test('sends what waits, in order, tells the end and keeps that for five minutes', async () => {
    const [clock, disk, server] = [new VirtualClock(), new Disk(), new Server()];
    for (const lane of ['a', 'a', 'b']) disk.add(lane);
    const life = new Life(clock, disk, server);
    await settle();
    expect(server.effects.toSorted()).toEqual(['key 1', 'key 2', 'key 3']);
    expect(server.effects.indexOf('key 1')).toBeLessThan(server.effects.indexOf('key 2'));
    expect([life.done.length, life.waiting]).toEqual([3, 0]);
    await clock.advance(300_001);
    life.die();
    const next = new Life(clock, disk, server);
    await settle();
    expect([disk.writes.size, server.attempts.length, next.done.length]).toEqual([0, 3, 0]);
  });

  test('sends what is added while it acts, and what failed before once its time has come', async () => {
    const [clock, disk, server] = [new VirtualClock(), new Disk(), new Server()];
    const life = new Life(clock, disk, server);
    await settle();
    life.fates = ['away'];
    life.drainer.took(disk.add('a'));
    await settle();
    expect([...disk.writes.values()]).toMatchObject([{ state: 'queued', failures: 1, attempts: 1 }]);
    await clock.advance(300);
    expect(server.effects).toEqual(['key 1']);
  });

  test('does not wait for its time once the network is back', async () => {
    const [clock, disk, server] = [new VirtualClock(), new Disk(), new Server()];
    disk.add('a');
    const life = new Life(clock, disk, server);
    life.fates = ['away'];
    await settle();
    life.drainer.online();
    await settle();
    expect(server.effects).toEqual(['key 1']);
  });
});

test('whatever dies and whatever is lost on the way: each write has one effect, in its lane in order, and its end is told', async () => {
  const command = record({
    kind: constantFrom('add', 'die', 'wait', 'online', 'disk'),
    lane: constantFrom('a', 'b'),
    after: integer({ min: 0, max: 12 }),
    fate: constantFrom<Fate>('performed', 'unheard', 'later', 'away'),
  });
  await assert(
    asyncProperty(array(command, { maxLength: 40 }), async (commands) => {
      const [clock, disk, server] = [new VirtualClock(), new Disk(), new Server()];
      const lives = [new Life(clock, disk, server)];
      const added: WaitingWrite[] = [];
      for (const { kind, lane, after, fate } of commands) {
        const life = lives.at(-1);
        if (!life) continue;
        life.fates.push(fate);
        if (kind === 'add') {
          const next = disk.add(lane);
          added.push(next);
          life.drainer.took(next);
        }
        if (kind === 'online') life.drainer.online();
        if (kind === 'disk') life.fails += 1;
        if (kind === 'die') {
          let left = after;
          life.point = () => {
            left -= 1;
            if (left < 0) life.die();
          };
          await clock.advance(100);
          life.die();
          lives.push(new Life(clock, disk, server));
        }
        if (kind === 'wait') await clock.advance(after * 500);
      }
      for (let turn = 0; turn < 60; turn += 1) await clock.advance(5_000);
      expect(server.effects.toSorted()).toEqual(added.map(({ key }) => key).toSorted());
      for (const lane of ['a', 'b']) {
        const keys = added.filter((each) => each.lane === lane).map(({ key }) => key);
        expect(server.effects.filter((key) => keys.includes(key))).toEqual(keys);
      }
      expect(lives.at(-1)?.waiting).toBe(0);
      // A life that dies before it tells an end leaves it on the disk for a while, for pages that come back.
      const kept = [...disk.writes.values()].filter(({ state }) => state === 'done').map(({ key }) => key);
      const told = new Set([...lives.flatMap(({ done }) => done), ...kept, ...disk.forgotten]);
      expect([...told].toSorted()).toEqual(added.map(({ key }) => key).toSorted());
    }),
    { numRuns: 200 },
  );
});
