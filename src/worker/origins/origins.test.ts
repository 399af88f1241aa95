import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed, refused, TIMED_OUT } from '../contracts/outcome.fixture.ts';
import { Origins } from './origins.ts';

/** Requests to origins, at times in milliseconds, and what was told of them. */
class World {
  now = 0;
  readonly told: string[] = [];
  readonly origins: Origins = new Origins({
    now: () => this.now,
    changed: ({ origin, status }) => this.told.push(`${origin} ${status}`),
  });

  ask(name: string, outcome: Outcome, { took = 0, held = false } = {}): void {
    const askedAt = this.now;
    this.now += took;
    const request = { method: 'GET', url: `https://${name}/photo?a=1`, headers: [] };
    this.origins.note({ ...outcome, request }, { askedAt, held });
  }
}

test('an origin is told of when what is known of it changes, and no other', () => {
  const world = new World();
  world.ask('a', answered());
  world.ask('b', failed('network'));
  world.ask('a', refused(404));
  world.ask('a', refused(503));
  world.ask('b', failed('offline'));
  expect(world.told).toEqual(['https://a reachable', 'https://b unreachable', 'https://a failing']);
  expect(world.origins.reports()).toEqual([
    { kind: 'origin', origin: 'https://a', status: 'failing' },
    { kind: 'origin', origin: 'https://b', status: 'unreachable' },
  ]);
});

test('what was never sent says nothing of any', () => {
  const world = new World();
  world.origins.note({ ...failed('network'), request: null }, { askedAt: 0, held: false });
  world.ask('a', failed('aborted'));
  expect(world.told).toEqual([]);
  expect(world.origins.inspect()).toEqual([]);
});

test('a long-poll that nothing came of in time is well, a call is not', () => {
  const world = new World();
  world.ask('a', answered());
  world.ask('a', TIMED_OUT, { took: 60_000, held: true });
  world.ask('a', refused(504), { took: 1_000, held: true });
  expect(world.told).toEqual(['https://a reachable']);
  world.ask('a', TIMED_OUT, { took: 30_000 });
  expect(world.told.at(-1)).toBe('https://a unreachable');
});

test('an origin that nobody has asked for an hour is forgotten, and that is told', () => {
  const world = new World();
  world.ask('a', answered());
  world.now = 3_599_999;
  expect(world.origins.inspect()).toEqual([
    { origin: 'https://a', status: 'reachable', since: 0, askedAt: 0 },
  ]);
  world.now = 3_600_000;
  world.ask('b', answered());
  expect(world.told.slice(1)).toEqual(['https://b reachable', 'https://a unknown']);
});

test(`${LIMITS.origins} origins are known: the one that was asked longest ago makes room`, () => {
  const world = new World();
  for (let n = 0; n < LIMITS.origins; n += 1) world.ask(`n${n}`, answered(), { took: 1 });
  world.ask('n0', answered(), { took: 1 });
  expect(world.told).toHaveLength(LIMITS.origins);
  world.ask('one-more', answered());
  expect(world.told.slice(LIMITS.origins)).toEqual(['https://one-more reachable', 'https://n1 unknown']);
  expect(world.origins.inspect()).toHaveLength(LIMITS.origins);
});
