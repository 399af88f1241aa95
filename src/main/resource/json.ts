import { describe } from './params.ts';

/** Objects that JSON writes as what they are: plain ones, those of an app's classes, lists and boxed scalars. */
const SAID = /(?:Object|Array|Boolean|Number|String)\]$/;

/**
 * A value as JSON; undefined where it has no form in it. Members that are undefined are left out, as ever.
 * @throws TypeError where a promise, a map, a set, a stream or the like would be written as `{}`; where the value has to
 * be `exact`, also where JSON would write null or nothing in the place of NaN, a function or an item that is undefined.
 */
export function jsonOf(value: unknown, exact = false): string | undefined {
  return JSON.stringify(value, function (this: unknown, _key, member: unknown) {
    if (isEmptied(member) || (exact && isAltered(member, Array.isArray(this))))
      throw new TypeError(`JSON cannot say ${describe(member)}`);
    return member;
  });
}

function isEmptied(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) return false;
  return !SAID.test(Object.prototype.toString.call(value));
}

function isAltered(value: unknown, isItem: boolean): boolean {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return true;
    case 'number':
      return !Number.isFinite(value);
    default:
      return isItem && value === undefined;
  }
}
