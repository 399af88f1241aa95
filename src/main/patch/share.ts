import { LIMITS } from '../../shared/limits.ts';
import { Heirs } from './heirs.ts';
import { isNode, isPlainMap, own } from './node.ts';
import type { Members } from './node.ts';

/** The result for each node: in a value that JSON did not make, a node may be in two places, or within itself. */
export type Made = Map<object, unknown>;

/**
 * The value `after`, in which every part that equals its counterpart in `before` is that very object; `before` itself
 * where everything is equal, including the order of keys. Neither is changed. Looks only into lists and plain objects.
 * `made` is for values that JSON did not make.
 */
export function share(before: unknown, after: unknown, made?: Made, depth = 0): unknown {
  if (before === after || depth > LIMITS.comparedLevels || !isPlain(after)) return after;
  if (made?.has(after)) return made.get(after);
  if (!isPlain(before) || Array.isArray(before) !== Array.isArray(after)) return after;
  if (made && !(isAsJson(before) && isAsJson(after))) return after;
  // A node that leads back to itself is new.
  made?.set(after, after);
  const result = sharedNode(before, after, made, depth + 1);
  made?.set(after, result);
  return result;
}

function sharedNode(before: Members, after: Members, made: Made | undefined, depth: number): unknown {
  const adopt = (old: unknown, value: unknown): unknown => share(old, value, made, depth);
  if (!Array.isArray(before) || !Array.isArray(after)) return joined(before, after, adopt);
  const heirs = new Heirs(before, adopt);
  for (const row of after) heirs.add(row);
  return heirs.finish();
}

/** `before` where it already equals all that `adopt` makes of `after`; else `after` with what `adopt` makes of it. */
export function joined(before: Members, after: Members, adopt: Adopt): Members {
  const [olds, keys] = [Object.keys(before), Object.keys(after)];
  let isSame = olds.length === keys.length;
  let result = after;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const value = after[key];
    const old = olds[index] === key ? before[key] : own(before, key);
    const adopted = adopt(old, value, key);
    isSame &&= olds[index] === key && Object.is(old, adopted);
    if (Object.is(adopted, value)) continue;
    if (result === after) result = { ...after };
    // This writes own members, `__proto__` too: it is a member like any other.
    result[key] = adopted;
  }
  return isSame ? before : result;
}

type Adopt = (old: unknown, value: unknown, key: string) => unknown;

/** False for a Blob or a date, which only a schema makes: there is nothing to compare. */
function isPlain(value: unknown): value is Members {
  return isNode(value) && (Array.isArray(value) || isPlainMap(value));
}

/** True for a value as JSON makes it: a list without holes or named members, or an object of visible plain members. */
function isAsJson(value: Members): boolean {
  const keys = Object.keys(value);
  const isList = Array.isArray(value);
  if (Reflect.ownKeys(value).length !== keys.length + Number(isList)) return false;
  if (!keys.every((key) => 'value' in (Object.getOwnPropertyDescriptor(value, key) ?? {}))) return false;
  if (!isList) return true;
  if (Object.getPrototypeOf(value) !== Array.prototype) return false;
  return keys.length === value.length && (keys.length === 0 || keys.at(-1) === String(value.length - 1));
}
