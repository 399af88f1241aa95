import { OLDEST_PROTOCOL, PROTOCOL } from './protocol.ts';
import type { Greeting } from './protocol.ts';

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
