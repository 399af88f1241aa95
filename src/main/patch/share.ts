import { LIMITS } from '../../shared/limits.ts';
import { Heirs } from './heirs.ts';
import { isNode, isPlainMap, own } from './node.ts';
import type { Members } from './node.ts';

/** What has become of each node: a value that JSON did not make may have one in two places, or within itself. */
export type Made = Map<object, unknown>;

/**
 * The value `after`, in which everything that is equal to what it was in `before` is that very object; `before` itself where
 * all is, the order of keys included. Neither is changed. Only lists and plain objects are looked into. `made` is for
 * values that JSON did not make.
 */
export function share(before: unknown, after: unknown, made?: Made, depth = 0): unknown {
  if (before === after || depth > LIMITS.comparedLevels || !isPlain(after)) return after;
  if (made?.has(after)) return made.get(after);
  if (!isPlain(before) || Array.isArray(before) !== Array.isArray(after)) return after;
  if (made && !(isAsJson(before) && isAsJson(after))) return after;
  // Where it leads back to itself, it is new.
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

/** `before` where all that `adopt` makes of the members of `after` is in it already, else `after` with that in it. */
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
    // An own member is written to, `__proto__` as well, which is one like any other.
    result[key] = adopted;
  }
  return isSame ? before : result;
}

type Adopt = (old: unknown, value: unknown, key: string) => unknown;

/** A Blob or a date, which only a schema makes, has nothing to compare. */
function isPlain(value: unknown): value is Members {
  return isNode(value) && (Array.isArray(value) || isPlainMap(value));
}

/**
 * True for a value as JSON makes them: a list without holes and without named members, or an object all of whose members
 * are plain values that `Object.keys` shows.
 */
function isAsJson(value: Members): boolean {
  const keys = Object.keys(value);
  const isList = Array.isArray(value);
  if (Reflect.ownKeys(value).length !== keys.length + Number(isList)) return false;
  if (!keys.every((key) => 'value' in (Object.getOwnPropertyDescriptor(value, key) ?? {}))) return false;
  if (!isList) return true;
  if (Object.getPrototypeOf(value) !== Array.prototype) return false;
  return keys.length === value.length && (keys.length === 0 || keys.at(-1) === String(value.length - 1));
}
