import type { EventInterest } from '../../shared/protocol.ts';
import type { Notice, NoticeType } from './notice.ts';

/** The names by which a notice is told, in this order: `getSuccess` of `get`, then `success`. */
export function namesOf({ action, type }: Notice): readonly [own: string, common: string] {
  return [ownName(action, type), type];
}

/** Which steps on the way of an action anybody hears of: the worker sends no others. */
export function interestOf(action: string, isHeard: (name: string) => boolean): EventInterest {
  const heard = (type: NoticeType): boolean => isHeard(type) || isHeard(ownName(action, type));
  return { started: heard('started'), sent: heard('sent'), progress: heard('progress') };
}

/**
 * Whether anybody hears of an action's answers, or of a step on their way: that says the id by which the result can be
 * asked for.
 */
export function hears(action: string, isHeard: (name: string) => boolean): boolean {
  return ANSWERED.some((type) => isHeard(type) || isHeard(ownName(action, type)));
}

const ANSWERED: readonly NoticeType[] = ['success', 'started', 'sent', 'progress'];

const SUFFIXES: { readonly [Type in NoticeType]: Capitalize<Type> } = {
  started: 'Started',
  sent: 'Sent',
  progress: 'Progress',
  success: 'Success',
  error: 'Error',
  reset: 'Reset',
};

function ownName(action: string, type: NoticeType): string {
  return action + SUFFIXES[type];
}
