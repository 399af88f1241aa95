import { frozen } from '../development.ts';
import type { RestError } from '../error.ts';

/** What a query shows at one moment. It never changes: a change makes another snapshot. */
export interface Snapshot<Data = unknown> {
  /** What `select` makes of the newest answer, or the answer itself; null before the first. */
  readonly data: Data | null;
  /** Why the last request failed; null where it did not. The data of before stay. */
  readonly error: RestError | null;
  /** `pending` before there are data, then `success`; `error` only where a request failed and there are no data. */
  readonly status: 'pending' | 'success' | 'error';
  /** True while a request is under way; of a loop, until its first answer. */
  readonly fetching: boolean;
  /** True where the network failed, or the server has not been asked yet, and this is what was stored. */
  readonly stale: boolean;
  /** When the server gave the answer, in milliseconds of the epoch; null before the first. */
  readonly answeredAt: number | null;
  readonly servedFrom: 'network' | 'cache' | null;
  /** True where the data are those of another query (`keepPrevious`), until its own come. */
  readonly placeholder: boolean;
}

export const NOTHING: Snapshot<never> = frozen({
  data: null,
  error: null,
  status: 'pending',
  fetching: false,
  stale: false,
  answeredAt: null,
  servedFrom: null,
  placeholder: false,
});

/** The snapshot `now`, or the very object of `before` where all members are the same. */
export function nextSnapshot<Shown extends Snapshot>(before: Shown, now: Shown): Shown {
  return isSame(before, now) ? before : frozen(now);
}

/** All members of both are the same. */
function isSame(before: object, now: object): boolean {
  return Object.entries(now).every(([name, value]) => Object.is(Reflect.get(before, name), value));
}
