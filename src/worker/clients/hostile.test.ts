import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  altered,
  COMMANDS,
  mayBeMissing,
  mayBeNull,
  partsOf,
  PLACED,
  SUBMISSION,
  without,
} from '../../shared/messages.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Reception } from './reception.fixture.ts';

/** Whatever structured clone lets through, with the names that do harm where they are believed. */
const junk = fc.oneof(
  fc.anything({
    withNullPrototype: true,
    withSparseArray: true,
    withDate: true,
    withMap: true,
    withTypedArray: true,
  }),
  fc.constantFrom('__proto__', 'constructor', 'prototype', -1, 0, Number.NaN, Number.POSITIVE_INFINITY, null),
  fc.constant(JSON.parse('{ "__proto__": { "owned": 1 }, "constructor": { "prototype": { "owned": 1 } } }')),
);

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('greet', 'submit', 'control') },
  fc.constantFrom('constructor', '__proto__', 'receive', 'close', 'inspect', 'then'),
);

const type = fc.oneof(
  { weight: 8, arbitrary: fc.constant('APPLY') },
  fc.constantFrom('GET', 'SET', 'CONSTRUCT', 'ENDPOINT', 'RELEASE', 'RAW', 'HANDLER'),
);

const MESSAGES: readonly { readonly call: string; readonly argument: unknown }[] = [
  { call: 'submit', argument: [SUBMISSION] },
  ...Object.values(COMMANDS).map((command) => ({ call: 'control', argument: command })),
  ...PLACED.map((declaration) => ({ call: 'control', argument: { kind: 'declare', declaration } })),
];

/** The ways to the parts that a message cannot do without, and of which some are no number. */
function neededParts(message: unknown): (readonly string[])[] {
  const ways = partsOf(message).filter((way) => !mayBeMissing(way) && !mayBeNull(way));
  return ways.filter((way) => way.join('.') !== 'declaration.cursor.plus');
}

/** A real message with a part that is missing, or is something that it cannot be. */
const broken = fc.constantFrom(...MESSAGES).chain(({ call, argument }) =>
  fc.record({
    path: fc.constant([call]),
    value: fc.constantFrom(...neededParts(argument)).chain((way) =>
      fc.oneof(
        fc.constant(without(argument, way)),
        fc
          .constantFrom<unknown>(undefined, null, Number.NaN, -1, {}, Number.NEGATIVE_INFINITY)
          .map((part) => altered(argument, way, () => part)),
      ),
    ),
  }),
);

const call = fc.oneof(
  broken.map(({ path, value }) => ({
    id: 'attack',
    type: 'APPLY',
    path,
    argumentList: [{ type: 'RAW', value }],
  })),
  fc.record({
    id: fc.oneof(fc.constant('attack'), junk),
    type,
    path: fc.oneof(fc.tuple(name), fc.array(name, { maxLength: 3 }), junk),
    argumentList: fc.oneof(
      junk.map((value) => [{ type: 'RAW', value: [value] }]),
      junk.map((value) => [{ type: 'HANDLER', name: 'throw', value }]),
      junk,
    ),
    value: junk,
  }),
  junk,
);

const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, Reception.prototype];

function prototypes(): unknown {
  return PROTOTYPES.map((each) => Reflect.ownKeys(each));
}

test('hostile messages have no effect on a page’s end of the line', async () => {
  const before = prototypes();
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 20 }), async (messages) => {
      const reception = new Reception();
      reception.grantLock(null);
      const tab = reception.tab();
      await tab.greet();
      for (const message of messages) await tab.post({ offstage: tab.session, message });
      await settle();
      expect(reception.pending).toEqual([]);
      expect(reception.asked).toEqual([]);
      expect(reception.clients.inspect()).toEqual([]);
      expect(reception.cacheCleared).toBe(0);
      expect(tab.deliveries).toEqual([]);
      expect(await tab.greet()).toMatchObject({ kind: 'welcome', taken: [] });
      expect(prototypes()).toEqual(before);
    }),
    { numRuns: 300 },
  );
});

test('hostile messages of unknown sessions leave no session behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.string(), call)), async (messages) => {
      const reception = new Reception();
      const tab = reception.tab();
      for (const [offstage, message] of messages) await tab.post({ offstage, message });
      expect(reception.clients.size).toBe(0);
    }),
  );
});
