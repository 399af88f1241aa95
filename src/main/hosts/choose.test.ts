import { expect, test } from 'vitest';
import { choose } from './choose.ts';
import type { HostChoice, Search } from './choose.ts';
import type { HostKind } from './host.ts';

const SEARCHES: readonly Search[] = ['under way', 'active', 'late', 'refused', 'silent'];

test.each<[HostChoice, (HostKind | null)[]]>([
  ['auto', [null, 'service-worker', 'page', 'page', 'page']],
  ['service-worker', SEARCHES.map(() => 'service-worker')],
  ['page', SEARCHES.map(() => 'page')],
])('%s', (choice, hosts) => {
  expect(SEARCHES.map((search) => choose(choice, search))).toEqual(hosts);
});
