import { describe } from './params.ts';

/**
 * A value as JSON; undefined where it has no form in it.
 * @throws TypeError where a promise, a map, a set, a stream or the like would be written as `{}`, and where `refuses` a
 * member, which is told whether that is an item of a list.
 */
export function jsonOf(
  value: unknown,
  refuses: (member: unknown, isItem: boolean) => boolean = () => false,
): string | undefined {
  return JSON.stringify(value, function (this: unknown, _key, member: unknown) {
    if (isEmptied(member) || refuses(member, Array.isArray(this)))
      throw new TypeError(`JSON cannot say ${describe(member)}`);
    return member;
  });
}

/** True for a promise, a map, a stream: JSON writes `{}` for them. Empty plain objects, lists and objects of classes may go. */
function isEmptied(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === 0 &&
    !/(?:Object|Array)\]/.test(Object.prototype.toString.call(value))
  );
}
