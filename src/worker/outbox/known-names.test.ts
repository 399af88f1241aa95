import { expect, test } from 'vitest';
import type { Naming } from '../contracts/temporary-id.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { KnownNames } from './known-names.ts';

test('what had no name is looked up again once more has come back', async () => {
  let stored: Naming = { kind: 'never', why: 'Nothing creates it' };
  const store = { names: async () => new Map([['temporary', stored]]) };
  const names = new KnownNames({ clock: new VirtualClock(), store });
  const { signal } = new AbortController();
  await names.lookUp(['temporary'], signal);
  const before = names.of('temporary')?.kind;
  stored = { kind: 'given', id: 7 };
  names.renew();
  const forgotten = names.of('temporary');
  await names.lookUp(['temporary'], signal);
  names.renew();
  expect([before, forgotten, names.of('temporary')]).toEqual(['never', undefined, stored]);
});
