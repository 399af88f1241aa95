import { actionRules } from '../resource/action.ts';
import type { ActionOptions } from '../resource/action.ts';
import type { RequestData } from '../resource/body.ts';
import type { CursorOptions, LongPollOptions, PollOptions } from '../resource/loop.ts';
import { aFlag, assertRules } from '../resource/option-checks.ts';
import type { Rules } from '../resource/option-checks.ts';
import type { WhileHidden } from '../../shared/pace.ts';
import { isPlainObject } from '../resource/params.ts';
import type { RefreshOn } from './records.ts';
import { assertSelect } from './view.ts';
import type { Select } from './view.ts';

/** The options of a query. Queries of the same action, parameters and options are one object. */
export interface QueryOptions<Response = never, Action extends string = string> extends ActionOptions {
  /** A JSON Pointer (RFC 6901) to the part of the answer that is the query's data, or a pure function of the answer. */
  readonly select?: Select<Response>;
  /** Milliseconds for which an answer is not asked for again, whatever the server says (default 0). */
  readonly staleTime?: number;
  /** When it asks again although it has an answer (default: on every occasion). */
  readonly refreshOn?: RefreshOn;
  /** False: it shows what is known and asks for nothing (default true). */
  readonly enabled?: boolean;
  /** Shows the data of the query of this action that was watched last, until its own come (default false). */
  readonly keepPrevious?: boolean;
  /** Makes it a poll: milliseconds from one request to the next, at least 100. */
  readonly interval?: number;
  /** On a hidden page, a poll asks as always, at most once a minute (default), or not at all. */
  readonly hidden?: WhileHidden;
  /** How a poll follows a cursor. */
  readonly cursor?: CursorOptions<Action>;
  /** Makes it a long-poll; true for one without options. */
  readonly longPoll?: true | Omit<LongPollOptions<Action>, keyof ActionOptions | 'data'>;
  /** Data sent with every request. */
  readonly data?: RequestData;
}

/** The options of a prefetch: those that say what is asked for, and when an answer is new enough. */
export type PrefetchOptions = ActionOptions & Pick<QueryOptions, 'staleTime' | 'data'>;

/** How the loop of a query is started: as a poll or as a long-poll; null where it has none. */
export type QueryLoop =
  | { readonly kind: 'poll'; readonly options: PollOptions }
  | { readonly kind: 'long-poll'; readonly options: LongPollOptions };

/** @throws TypeError or RangeError where an option is wrong. */
export function assertQueryOptions(action: string, options: QueryOptions): void {
  const where = `the query of '${action}'`;
  assertRules(where, options, queryRules);
  assertSelect(options.select);
  const { staleTime = 0, interval, longPoll, refreshOn = {} } = options;
  if (!(typeof staleTime === 'number' && staleTime >= 0))
    throw new RangeError(
      `Option 'staleTime' of ${where} must be a number of milliseconds from 0, got ${staleTime}`,
    );
  if (interval !== undefined && longPoll !== undefined)
    throw new TypeError(`Options 'interval' and 'longPoll' of ${where} exclude each other`);
  assertRules(`'refreshOn' of ${where}`, refreshOn, refreshRules);
}

/** The loop that these options make of a query; null for none. */
export function loopOf({
  interval,
  hidden,
  cursor,
  longPoll,
  data,
  ...options
}: QueryOptions): QueryLoop | null {
  const given = { ...actionOptionsOf(options), ...(data !== undefined && { data }) };
  if (longPoll !== undefined)
    return { kind: 'long-poll', options: { ...given, ...(longPoll !== true && longPoll) } };
  if (interval === undefined) return null;
  return {
    kind: 'poll',
    options: { ...given, interval, ...(hidden && { hidden }), ...(cursor && { cursor }) },
  };
}

/** The options that each of its requests has. */
export function actionOptionsOf(options: ActionOptions): ActionOptions {
  const { timeout, retry, headers, cache, credentials, mode } = options;
  return Object.fromEntries(
    Object.entries({ timeout, retry, headers, cache, credentials, mode }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

function queryRules(): Rules<QueryOptions> {
  return {
    ...actionRules(),
    select: null,
    staleTime: null,
    refreshOn: null,
    enabled: aFlag(),
    keepPrevious: aFlag(),
    interval: null,
    hidden: null,
    cursor: null,
    longPoll: ['true, or the options of a long-poll', (value) => value === true || isPlainObject(value)],
    data: null,
  };
}

function refreshRules(): Rules<RefreshOn> {
  return { focus: aFlag(), online: aFlag(), mount: aFlag() };
}
