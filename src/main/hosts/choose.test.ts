import { expect, test } from 'vitest';
import { choose } from './choose.ts';
import type { HostChoice, Search } from './choose.ts';
import type { HostKind } from './host.ts';

const SEARCHES: readonly Search[] = ['under way', 'active', 'late', 'refused'];

test.each<[HostChoice, (HostKind | null)[]]>([
  ['auto', [null, 'service-worker', 'page', 'page']],
  ['service-worker', ['service-worker', 'service-worker', 'service-worker', 'service-worker']],
  ['page', ['page', 'page', 'page', 'page']],
])('%s', (choice, hosts) => {
  expect(SEARCHES.map((search) => choose(choice, search))).toEqual(hosts);
});
