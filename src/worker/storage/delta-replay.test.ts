import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyByteChange } from '../contracts/byte-delta.fixture.ts';
import type { ByteDelta } from '../contracts/response-store.ts';
import { replay } from './stored-body.ts';

type Bytes = Uint8Array<ArrayBuffer>;

function bytes(...values: number[]): Bytes {
  return new Uint8Array(values);
}

function change(runs: readonly number[], literal: readonly number[] = [], size?: number): ByteDelta {
  const made = runs.reduce((sum, each, index) => sum + (index % 2 === 0 ? 0 : each), 0);
  return { runs, literal: bytes(...literal).buffer, size: size ?? made };
}

/** One after the other, each making all of the bytes. */
function applied(snapshot: Bytes, changes: readonly ByteDelta[]): Uint8Array | null {
  return changes.reduce<Uint8Array | null>((base, each) => base && applyByteChange(base, each), snapshot);
}

/** From where in a whole of any size, as parts of 1, and how many bytes; or so many new ones. */
const run = fc.oneof(
  fc.record({ from: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(12) }),
  fc.record({ literal: fc.array(fc.nat(255), { maxLength: 5 }) }),
);

/** Changes of which each fits what the one before makes. */
function changesOf(size: number, all: readonly (readonly RunWish[])[]): ByteDelta[] {
  let present = size;
  return all.map((wishes) => {
    const made = changeOf(present, wishes);
    present = made.size;
    return made;
  });
}

type RunWish = { readonly from: number; readonly length: number } | { readonly literal: readonly number[] };

function changeOf(size: number, wishes: readonly RunWish[]): ByteDelta {
  const literal: number[] = [];
  const runs = wishes.flatMap((wish) => {
    if ('literal' in wish) {
      literal.push(...wish.literal);
      return [-1, wish.literal.length];
    }
    const from = Math.floor(wish.from * size);
    return [from, Math.min(wish.length, size - from)];
  });
  return change(runs, literal);
}

describe('what the changes make of the snapshot', () => {
  test('is the snapshot where there are none', () => {
    expect(replay(bytes(1, 2, 3), [])).toEqual(bytes(1, 2, 3));
  });

  test('is made in their order', () => {
    const changes = [change([2, 1, 0, 2]), change([-1, 1, 0, 3], [9]), change([0, 2, 3, 1])];
    expect(replay(bytes(1, 2, 3), changes)).toEqual(bytes(9, 3, 2));
  });

  test('is a copy of its own', () => {
    const snapshot = bytes(1, 2, 3);
    replay(snapshot, [])?.fill(9);
    replay(snapshot, [change([0, 3])])?.fill(9);
    expect(snapshot).toEqual(bytes(1, 2, 3));
  });

  test('is what applying one after the other makes', () => {
    const plans = fc.array(fc.array(run, { maxLength: 8 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), plans, (random, plan) => {
        const snapshot = new Uint8Array(random);
        const changes = changesOf(snapshot.length, plan);
        expect(replay(snapshot, changes)).toEqual(applied(snapshot, changes));
      }),
      { numRuns: 1_000 },
    );
  });

  test('is nothing where applying one after the other fails', () => {
    const number = fc.integer({ min: -2, max: 8 });
    const wild = fc.record({
      runs: fc.array(number, { maxLength: 7 }),
      literal: fc.array(fc.nat(255), { maxLength: 3 }),
      size: fc.option(number, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), fc.array(wild, { maxLength: 3 }), (random, all) => {
        const snapshot = new Uint8Array(random);
        const changes = all.map(({ runs, literal, size }) => change(runs, literal, size));
        expect(replay(snapshot, changes)).toEqual(applied(snapshot, changes));
      }),
      { numRuns: 3_000 },
    );
  });

  test('is the same where it falls into very many pieces', () => {
    const snapshot = new Uint8Array(30_000).map((_, index) => index % 251);
    // Reversed in pairs of bytes, twice: fifteen thousand pieces.
    const runs = Array.from({ length: 15_000 }, (_, index) => [29_998 - 2 * index, 2]).flat();
    expect(replay(snapshot, [change(runs), change(runs)])).toEqual(snapshot);
  });
});
