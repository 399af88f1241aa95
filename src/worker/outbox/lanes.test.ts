import { array, assert, constantFrom, property, record, subarray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { invocation } from '../address/invocation.fixture.ts';
import type { WriteState } from '../../shared/outbox.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { dueAmong, planOf } from './lanes.ts';
import type { Circumstances } from './lanes.ts';
import { write } from './write.fixture.ts';

const NOW = 1_000;
const AMPLE: Circumstances = {
  now: NOW,
  most: 100,
  underWay: [],
  urlOf: () => null,
  isBusy: () => false,
  heldLanes: [],
  known: () => undefined,
  laneOf: ({ lane }) => lane,
  floorOf: () => 0,
  lastTurn: () => 0,
};

const urlOf: Circumstances['urlOf'] = ({ template }) => new URL(template, 'https://page.example').href;

/** The lanes that are slow had theirs before the others. */
const lastTurn: Circumstances['lastTurn'] = (lane) => (lane.startsWith('slow') ? 1 : 2);

function places(writes: readonly WaitingWrite[], circumstances = AMPLE): number[] {
  return planOf(writes, circumstances).now.map(({ place }) => place);
}

function due(...writes: WaitingWrite[]): number {
  return dueAmong(writes, ({ lane }) => lane);
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
    expect(plan).toMatchObject({ now: [], wakeAt: NOW + 500 });
  });
});

describe('a write that names what another creates', () => {
  const GIVEN = { kind: 'given', id: 7 } as const;

  test('waits until the name is known', () => {
    const waiting = [write(1, { uses: ['temporary'] }), write(2, { lane: 'b' })];
    expect(planOf(waiting, AMPLE)).toMatchObject({ now: [], unknown: ['temporary'] });
    expect(places(waiting, { ...AMPLE, known: () => ({ kind: 'awaited' }) })).toEqual([2]);
    expect(places(waiting, { ...AMPLE, known: () => GIVEN })).toEqual([1, 2]);
  });

  test('is for somebody to look at where there will never be a name, and its lane goes on', () => {
    const why = 'What it uses was discarded';
    const waiting = [write(1, { uses: ['temporary'] })];
    const plan = planOf(waiting, { ...AMPLE, known: () => ({ kind: 'never', why }) });
    expect(plan).toMatchObject({ now: [], lost: [{ write: { place: 1 }, why }] });
  });

  test('names its lane by the id, too', () => {
    const waiting = [write(1, { lane: 'photo temporary' }), write(2, { lane: 'photo 7' })];
    const named = { ...AMPLE, laneOf: ({ lane }: WaitingWrite) => lane.replace('temporary', '7') };
    expect(places(waiting, named)).toEqual([1]);
    expect(places(waiting, { ...named, isBusy: (lane) => lane === 'photo 7' })).toEqual([]);
  });

  test('that was queued later waits beside its lane', () => {
    const edited = write(1, { uses: ['temporary'] });
    const later = write(3, { temporaryId: 'temporary' });
    expect(places([edited, write(2), later])).toEqual([2]);
    expect(places([edited, later])).toEqual([3]);
  });

  test('that waits for it in turn is for somebody to look at, with all of the circle', () => {
    const circle = [
      write(1, { temporaryId: 'a', uses: ['c'] }),
      write(2, { temporaryId: 'b', uses: ['a'] }),
      write(3, { temporaryId: 'c', uses: ['b'] }),
      write(4, { uses: ['a'] }),
      write(5, { temporaryId: 'self', uses: ['self'], lane: 'b' }),
    ];
    expect(planOf(circle, AMPLE).lost.map(({ write: { place } }) => place)).toEqual([1, 2, 3, 5]);
  });

  const made = write(1, { lane: 'albums', temporaryId: 'temporary' });

  test('waits for that, and its lane with it', () => {
    expect(places([made, write(2, { uses: ['temporary'] }), write(3)])).toEqual([1]);
  });

  test('waits beside one in review, and its lane goes on without it', () => {
    const refused = { ...made, state: 'review' } as const;
    const named = write(2, { uses: ['temporary'], temporaryId: 'second' });
    expect(places([refused, named, write(3, { uses: ['second'] }), write(4)])).toEqual([4]);
  });
});

test('due is what waits for its server, and not what waits for a decision, or for such a one', () => {
  const refused = write(1, { lane: 'albums', temporaryId: 'temporary', state: 'review' });
  const named = write(2, { uses: ['temporary'] });
  expect(due(refused, named, write(3))).toBe(1);
  expect(due({ ...refused, state: 'queued' }, named, write(3))).toBe(3);
  expect(due(write(1, { state: 'conflict' }), write(2), write(3, { lane: 'b' }))).toBe(1);
  expect(due({ ...refused, state: 'paused' }, named, write(3))).toBe(0);
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
    const turns = new Map([950, 20].map((lane, turn) => [String(lane), -9 + turn]));
    const circumstances = { ...AMPLE, most: 4, lastTurn: (lane: string) => turns.get(lane) ?? 0 };
    expect(places(waiting, circumstances)).toEqual([950, 20, 1, 2]);
    expect(places(waiting, { ...circumstances, most: 0 })).toEqual([]);
  });

  test('those go first that were attempted less often, where no turn is known', () => {
    const [a, b, c] = three.map((each, index) => ({ ...each, attempts: 3 - index }));
    expect(
      places(
        [a, b, c].flatMap((each) => each ?? []),
        { ...AMPLE, most: 2 },
      ),
    ).toEqual([3, 2]);
  });

  test('a lane with an attempt under way waits for that, whatever has become of its write', () => {
    const circumstances = { ...AMPLE, isBusy: (lane: string) => lane === 'photos' };
    expect(places([write(1), write(2, { lane: 'other' })], circumstances)).toEqual([2]);
  });
});

describe('of one server', () => {
  const slow = Array.from({ length: 6 }, (_, index) =>
    write(index + 1, { lane: `slow ${index}`, attempts: 1 }),
  );
  const elsewhere = { ...invocation('https://files.example/photos', []), method: 'POST' };
  const other = write(7, { lane: 'other', invocation: elsewhere });

  test('no more than four are under way, and others do not wait for that', () => {
    expect(places([...slow, other], { ...AMPLE, urlOf })).toEqual([7, 1, 2, 3, 4]);
    const underWay = [write(8), write(9), write(10)];
    expect(places([...slow, other], { ...AMPLE, urlOf, underWay })).toEqual([7, 1]);
  });

  test('a lane that goes on goes ahead of its turn, and is alone in that', () => {
    const waiting = [...slow, write(8, { lane: 'a' }), write(9, { lane: 'b' })];
    expect(places(waiting, { ...AMPLE, lastTurn, most: 2 })).toEqual([8, 1]);
    expect(places(waiting, { ...AMPLE, lastTurn, most: 2, underWay: [write(10)] })).toEqual([1, 2]);
  });

  test('a lane that goes on may be the fifth, and no other', () => {
    const underWay = slow.slice(0, 4);
    const waiting = [...slow.slice(4), write(8, { lane: 'a' }), write(9, { lane: 'b' })];
    expect(places(waiting, { ...AMPLE, urlOf, lastTurn, underWay })).toEqual([8]);
  });

  test('where no more may begin, lanes that go on may: one of each server, and four in all', () => {
    const waiting = [1, 2, 3, 4, 5].flatMap((n) =>
      [0, 5].map((more) =>
        write(n + more, {
          lane: String(n + more),
          invocation: { ...invocation(`https://${n}.example/`, []), method: 'POST' },
        }),
      ),
    );
    const full = { ...AMPLE, urlOf, lastTurn };
    expect(places([...slow, ...waiting], { ...full, most: 0 })).toEqual([1, 2, 3, 4]);
    expect(places([...slow, ...waiting], { ...full, most: -3 })).toEqual([1]);
    expect(places([...slow, ...waiting], { ...full, most: -4 })).toEqual([]);
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
