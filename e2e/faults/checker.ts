/** What a page was told of one call. */
export interface Told {
  /** The id that the call carried to the server. */
  readonly key: string;
  readonly method: string;
  /** Milliseconds of the epoch. */
  readonly madeAt: number;
  /** Milliseconds that the call was given. */
  readonly deadline: number;
  /** Null where it never settled. */
  readonly settledAt: number | null;
  /** `answered`, or the code of the failure; null where it never settled. */
  readonly ending: string | null;
}

/** Keys of calls that went as no call may. */
export interface Verdict {
  /** Settled neither by an answer nor by an allowed failure, or answered without the effect that the answer tells of. */
  readonly lost: readonly string[];
  /** More than one effect at the server. */
  readonly duplicated: readonly string[];
  /** Unsettled two seconds past the deadline. */
  readonly hung: readonly string[];
}

/** Whether a call may end with that failure. */
export type IsAllowed = (told: Told) => boolean;

/** Milliseconds past its deadline after which an unsettled promise hangs. */
export const PATIENCE = 2_000;

const EFFECTLESS = ['GET', 'HEAD'];

/** Compares the server's journal, as numbers of effects by key, with what pages were told. */
export function judge(
  effects: ReadonlyMap<string, number>,
  calls: readonly Told[],
  isAllowed: IsAllowed = diedWithItsWorker,
): Verdict {
  return {
    lost: keys(calls.filter((told) => isLost(told, effects.get(told.key) ?? 0, isAllowed))),
    duplicated: [...effects].flatMap(([key, count]) => (count > 1 ? [key] : [])),
    hung: keys(calls.filter(isHung)),
  };
}

/** How many of them went so. */
export function countsOf(
  effects: ReadonlyMap<string, number>,
  calls: readonly Told[],
  isAllowed?: IsAllowed,
): Record<keyof Verdict, number> {
  const { lost, duplicated, hung } = judge(effects, calls, isAllowed);
  return { lost: lost.length, duplicated: duplicated.length, hung: hung.length };
}

/** Milliseconds until it settled. */
export function durationOf({ madeAt, settledAt }: Told): number {
  return (settledAt ?? Infinity) - madeAt;
}

/** A write that adds is not sent twice: its failure says that it may have been applied (behaviour.md, "Requests"). */
export function diedWithItsWorker({ method, ending }: Told): boolean {
  return ending === 'worker-lost' && (method === 'POST' || method === 'PATCH');
}

function isLost(told: Told, effects: number, isAllowed: IsAllowed): boolean {
  if (told.ending === null) return true;
  if (told.ending !== 'answered') return !isAllowed(told);
  return effects === 0 && !EFFECTLESS.includes(told.method);
}

function isHung({ madeAt, deadline, settledAt }: Told): boolean {
  return settledAt === null || settledAt > madeAt + deadline + PATIENCE;
}

function keys(calls: readonly Told[]): string[] {
  return calls.map(({ key }) => key);
}
