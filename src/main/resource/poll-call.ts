import type { PollOptions } from './loop-options.ts';
import type { InputParams } from './params.ts';

type Given = InputParams | null | undefined;

/** The arguments of `poll`: with options, or in the classic order. */
export type PollCall =
  | [action: string, params?: Given, options?: PollOptions | undefined]
  | [action: string, interval: number, params?: Given, immediately?: boolean | undefined];

/** Both orders say the same, but the classic one waits an interval first unless it says otherwise. */
export function pollCallOf(call: PollCall): readonly [string, Given, PollOptions] {
  if (!isClassic(call)) return [call[0], call[1], call[2] ?? {}];
  const [action, interval, params, immediately = false] = call;
  return [action, params, { interval, immediately }];
}

function isClassic(call: PollCall): call is Extract<PollCall, [string, number, ...unknown[]]> {
  return typeof call[1] === 'number';
}
