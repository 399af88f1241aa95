import { expect, test } from 'vitest';
import type { DeliveryPosition } from '../../shared/delivery.ts';
import { Sequence } from './inbox.ts';

type Turn = ReturnType<Sequence['take']>;

/** A place, as in `a1`: the first of the sequence `a`. */
type Taken = readonly [place: string, turn: Turn];

test.each<[string, readonly Taken[]]>([
  [
    'come one after the other',
    [
      ['a1', 'next'],
      ['a2', 'next'],
      ['a3', 'next'],
    ],
  ],
  [
    'are told again',
    [
      ['a1', 'next'],
      ['a1', 'repeated'],
      ['a2', 'next'],
      ['a1', 'repeated'],
      ['a2', 'repeated'],
      ['a3', 'next'],
    ],
  ],
  [
    'are missing in between: once noticed, it goes on from there',
    [
      ['a1', 'next'],
      ['a4', 'after-a-gap'],
      ['a5', 'next'],
      ['a7', 'after-a-gap'],
    ],
  ],
  [
    'come too late: they were given up',
    [
      ['a1', 'next'],
      ['a3', 'after-a-gap'],
      ['a2', 'repeated'],
      ['a4', 'next'],
    ],
  ],
  [
    'are missing from the first',
    [
      ['a2', 'after-a-gap'],
      ['a3', 'next'],
    ],
  ],
  [
    'are another worker’s: they count anew',
    [
      ['a1', 'next'],
      ['a2', 'next'],
      ['b1', 'next'],
      ['b1', 'repeated'],
      ['b2', 'next'],
      ['c2', 'after-a-gap'],
    ],
  ],
  [
    'are two workers’ in turns, one of which ends: nothing is missing',
    [
      ['a1', 'next'],
      ['b1', 'next'],
      ['a2', 'next'],
      ['b2', 'next'],
      ['b2', 'repeated'],
      ['a3', 'next'],
      ['b4', 'after-a-gap'],
    ],
  ],
])('deliveries that %s', (_name, taken) => {
  const sequence = new Sequence();
  const turns = taken.map(([place]) => [place, sequence.take(placeOf(place))]);
  expect(turns).toEqual(taken);
});

function placeOf(place: string): DeliveryPosition {
  return { sequence: place.slice(0, 1), number: Number(place.slice(1)) };
}
