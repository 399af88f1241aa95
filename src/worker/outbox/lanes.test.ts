import { array, assert, constantFrom, property, record, subarray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WriteState } from '../../shared/outbox.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { planOf } from './lanes.ts';
import type { Circumstances } from './lanes.ts';
import { write } from './write.fixture.ts';

const NOW = 1_000;
const AMPLE: Circumstances = {
  now: NOW,
  most: 100,
  isBusy: () => false,
  isUnnamed: () => false,
  lastTurn: () => 0,
};

function places(writes: readonly WaitingWrite[], circumstances = AMPLE): number[] {
  return planOf(writes, circumstances).now.map(({ place }) => place);
}

describe('a lane', () => {
  test('sends its writes one after the other, in their order', () => {
    expect(places([write(1), write(2), write(3)])).toEqual([1]);
    expect(places([write(1, { state: 'sending' }), write(2)])).toEqual([]);
  });

  test('does not hold another', () => {
    expect(places([write(1, { state: 'sending' }), write(2, { lane: 'other' }), write(3)])).toEqual([2]);
  });

  test.each<WriteState>(['paused', 'conflict'])('is held by a write that is %s', (state) => {
    expect(places([write(1, { state }), write(2), write(3, { lane: 'other' })])).toEqual([3]);
  });

  test('goes on behind a write that is in review', () => {
    expect(places([write(1, { state: 'review' }), write(2)])).toEqual([2]);
  });

  test('waits for its first write, whose time is said', () => {
    const plan = planOf([write(1, { notBefore: NOW + 500 }), write(2)], AMPLE);
    expect(plan).toEqual({ now: [], wakeAt: NOW + 500 });
  });
});

describe('a write that names what another creates', () => {
  test('waits until the name is stored', () => {
    const waiting = [write(1, { uses: ['temporary'] }), write(2, { lane: 'b' })];
    expect(
      planOf(waiting, { ...AMPLE, isUnnamed: (each) => each === 'temporary' }).now.map(({ place }) => place),
    ).toEqual([2]);
  });

  const made = write(1, { lane: 'albums', temporaryId: 'temporary' });

  test('waits for that, and its lane with it', () => {
    expect(places([made, write(2, { uses: ['temporary'] }), write(3)])).toEqual([1]);
  });

  test('goes once that is done', () => {
    expect(places([write(2, { uses: ['temporary'] })])).toEqual([2]);
  });

  test('waits beside one in review, and its lane goes on without it', () => {
    const refused = { ...made, state: 'review' } as const;
    const named = write(2, { uses: ['temporary'], temporaryId: 'second' });
    expect(places([refused, named, write(3, { uses: ['second'] }), write(4)])).toEqual([4]);
  });
});

describe('where there is not room for all', () => {
  const three = [write(1, { lane: 'a' }), write(2, { lane: 'b' }), write(3, { lane: 'c' })];

  test('those lanes go whose last turn is longest ago', () => {
    const turns: Record<string, number> = { a: 30, b: 20, c: 10 };
    expect(places(three, { ...AMPLE, most: 2, lastTurn: (lane) => turns[lane] ?? 0 })).toEqual([3, 2]);
  });

  test('of a thousand lanes, those go first whose last turn is longest ago, and then the oldest write', () => {
    const waiting = Array.from({ length: 1_000 }, (_, index) =>
      write(index + 1, { lane: String(index + 1) }),
    );
    const turns = new Map([7, 3, 950, 20].map((lane, turn) => [String(lane), -9 + turn]));
    const circumstances = { ...AMPLE, most: 6, lastTurn: (lane: string) => turns.get(lane) ?? 0 };
    expect(places(waiting, circumstances)).toEqual([7, 3, 950, 20, 1, 2]);
    expect(places(waiting, { ...circumstances, most: 0 })).toEqual([]);
  });

  test('a lane with an attempt under way waits for that, whatever has become of its write', () => {
    const circumstances = { ...AMPLE, isBusy: (lane: string) => lane === 'photos' };
    expect(places([write(1), write(2, { lane: 'other' })], circumstances)).toEqual([2]);
  });
});

test('whatever waits: a lane has one write under way at most, none overtakes, and none waits for nothing', () => {
  const states: WriteState[] = ['queued', 'sending', 'paused', 'conflict', 'review'];
  const one = record({
    lane: constantFrom('a', 'b', 'c'),
    state: constantFrom(...states),
    notBefore: constantFrom(0, NOW, NOW + 1),
    temporaryId: constantFrom(null, 'x', 'y'),
    uses: subarray(['x', 'y']),
  });
  assert(
    property(array(one, { maxLength: 12 }), (given) => {
      // Each temporary id has one maker, which comes before those that name it.
      const seen = new Set<string>();
      const writes = given.map(({ temporaryId, uses, ...rest }, place) => {
        const known = uses.filter((each) => seen.has(each));
        const own = temporaryId !== null && !seen.has(temporaryId) ? temporaryId : null;
        if (own !== null) seen.add(own);
        return write(place, { ...rest, temporaryId: own, uses: known });
      });
      const plan = planOf(writes, AMPLE);
      const open = (each: WaitingWrite): boolean =>
        writes.every(({ temporaryId }) => temporaryId === null || !each.uses.includes(temporaryId));
      for (const each of plan.now) {
        expect(each).toMatchObject({ state: 'queued' });
        expect(each.notBefore).toBeLessThanOrEqual(NOW);
        expect(open(each)).toBe(true);
        const before = writes.filter(({ lane, place }) => lane === each.lane && place < each.place);
        const isAside = (other: WaitingWrite): boolean =>
          other.state === 'review' ||
          writes.some((maker) => {
            const { temporaryId } = maker;
            return temporaryId !== null && other.uses.includes(temporaryId) && isAside(maker);
          });
        expect(before.every(isAside)).toBe(true);
      }
      const lanes = plan.now.map(({ lane }) => lane);
      expect(new Set(lanes).size).toBe(lanes.length);
      // The first write of all that nothing holds goes, or has a time.
      const [first] = writes;
      const isFree = first?.state !== 'queued' || plan.now.includes(first) || plan.wakeAt !== null;
      expect(isFree).toBe(true);
    }),
  );
});
