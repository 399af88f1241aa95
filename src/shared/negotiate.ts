import type { Greeting } from './protocol.ts';
import { OLDEST_PROTOCOL, PROTOCOL } from './protocol.ts';

/** The first greeting of a page that wants nothing. */
export const FIRST_GREETING: Greeting = {
  protocol: PROTOCOL,
  oldest: OLDEST_PROTOCOL,
  resync: false,
  number: 1,
  calls: [],
  loops: [],
  later: [],
  hidden: false,
  online: false,
};

/** The newest protocol that a page and this side both speak; null where there is none. */
export function negotiate(
  page: Pick<Greeting, 'protocol' | 'oldest'>,
  newest: number,
  oldest: number,
): number | null {
  const common = Math.min(page.protocol, newest);
  return common >= Math.max(page.oldest, oldest) ? common : null;
}
