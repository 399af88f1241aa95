import { LIMITS } from '../../shared/limits.ts';
import { isNode, nameOf, isPlainMap, own } from './node.ts';
import type { Members } from './node.ts';

/** How many old rows are compared on either side of a new row's expected index. */
const NEAR = 8;

/**
 * Builds a new list row by row and keeps the old row objects: a named row (`id`, `_id`, `key`) finds its old one
 * anywhere, a nameless one an equal row near by. Each old row is used once.
 */
export class Heirs {
  readonly rows: unknown[] = [];
  readonly #olds: readonly unknown[];
  readonly #share: (old: unknown, row: unknown) => unknown;
  /** The old row after the last that was found at its index, and the number of new nameless rows since then. */
  #next = 0;
  #missed = 0;
  /** All old rows before this index are taken, or in `#left`. */
  #indexed = 0;
  /**
   * Named old rows that were passed over, and indexes of named new rows without an old one: most lists have neither.
   */
  #left: Map<unknown, unknown> | null = null;
  #waiting: Map<unknown, number> | null = null;
  /** By index, the nameless old rows of which a new row shares parts, with that new row as it came. */
  readonly #lent = new Map<number, readonly [index: number, row: unknown]>();

  /** `merge` merges a new row with its old one; it returns the old row itself where both are equal. */
  constructor(olds: readonly unknown[], merge: (old: unknown, row: unknown) => unknown) {
    this.#olds = olds;
    this.#share = merge;
  }

  add(row: unknown): void {
    const name = nameOf(row);
    const index = this.rows.push(row) - 1;
    const heir = name === undefined ? this.#nameless(row) : this.#named(name, row, index);
    if (heir !== row) this.rows[index] = heir;
  }

  /** The whole list; the old list itself where nothing has changed. */
  finish(): readonly unknown[] {
    const { rows } = this;
    const olds = this.#olds;
    if (this.#waiting?.size) this.#index(olds.length);
    const isSame = rows.length === olds.length && rows.every((row, index) => Object.is(row, olds[index]));
    return isSame ? olds : rows;
  }

  #named(name: unknown, row: unknown, index: number): unknown {
    for (let at = this.#next; at < this.#next + NEAR; at += 1) {
      const old = this.#olds[at];
      if (nameOf(old) !== name || !this.#isFree(at, name)) continue;
      this.#take(at, name);
      return this.#share(old, row);
    }
    const old = this.#left?.get(name);
    if (old !== undefined) {
      this.#left?.delete(name);
      return this.#share(old, row);
    }
    this.#waiting ??= new Map();
    this.#waiting.set(name, index);
    // Searches a list in another order bit by bit as it comes, not all at its end.
    this.#index(Math.min(this.#indexed + NEAR, this.#olds.length));
    return row;
  }

  #nameless(row: unknown): unknown {
    const index = this.#next + this.#missed;
    const inPlace = this.#share(this.#olds[index], row);
    if (this.#isTaken(index, inPlace)) return inPlace;
    // After many different rows all count as different: a list of moving points is not searched to its end.
    const to = isNode(row) && this.#missed < NEAR ? index + NEAR : 0;
    for (let at = Math.max(this.#next, index - NEAR); at < to; at += 1) {
      // Compared, not shared: sharing with each candidate would multiply the time at every level of nested lists.
      if (at !== index && isEqual(this.#olds[at], row) && this.#isTaken(at, this.#olds[at]))
        return this.#olds[at];
    }
    this.#missed += 1;
    // No part of an old row is in two new ones.
    if (inPlace === row || this.#lent.has(index) || nameOf(this.#olds[index]) !== undefined) return row;
    this.#lent.set(index, [this.rows.length - 1, row]);
    return inPlace;
  }

  #isTaken(at: number, shared: unknown): boolean {
    if (at >= this.#olds.length || shared !== this.#olds[at]) return false;
    this.#take(at, undefined);
    return true;
  }

  #isFree(at: number, name: unknown): boolean {
    return at >= this.#indexed || this.#left?.get(name) === this.#olds[at];
  }

  #take(at: number, name: unknown): void {
    const lent = this.#lent.get(at);
    // A new row that shares parts with this old row stops sharing them: the old row itself is used now.
    if (lent) this.rows[lent[0]] = lent[1];
    this.#next = at + 1;
    this.#missed = 0;
    if (at < this.#indexed) this.#left?.delete(name);
    else {
      this.#index(at);
      this.#indexed = at + 1;
    }
  }

  /** Makes the old rows up to `to` available by name. */
  #index(to: number): void {
    for (let at = this.#indexed; at < to; at += 1) {
      const old = this.#olds[at];
      const name = nameOf(old);
      if (name === undefined) continue;
      const index = this.#waiting?.get(name);
      if (index === undefined) {
        this.#left ??= new Map();
        this.#left.set(name, old);
      } else {
        this.#waiting?.delete(name);
        this.rows[index] = this.#share(old, this.rows[index]);
      }
    }
    this.#indexed = Math.max(this.#indexed, to);
  }
}

/** True where two JSON values are equal, including the order of keys; false where comparing takes too long. */
function isEqual(one: unknown, other: unknown): boolean {
  return agree(one, other, { left: LIMITS.comparedValues });
}

function agree(one: unknown, other: unknown, budget: { left: number }): boolean {
  budget.left -= 1;
  if (budget.left < 0) return false;
  if (!isNode(one) || !isNode(other)) return Object.is(one, other);
  if (one === other) return true;
  if (Array.isArray(one) || Array.isArray(other)) return areListsEqual(one, other, budget);
  if (!isPlainMap(one) || !isPlainMap(other)) return false;
  const [keys, names] = [Object.keys(one), Object.keys(other)];
  if (keys.length !== names.length) return false;
  return keys.every(
    (key, index) => key === names[index] && agree(Reflect.get(one, key), Reflect.get(other, key), budget),
  );
}

function areListsEqual(one: unknown, other: unknown, budget: { left: number }): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((row, index) => agree(row, other[index], budget));
}

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

/** Rows of a list, and the index of the first. */
interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly start: number;
}

/**
 * The rows of `next`, where each row that equals an old one is that very object: the old row at the same index, or with
 * the same name. Returns the old list itself where all rows are the same. No old row is used twice.
 */
export function keptRows<Row>(before: Rows<Row> | null, next: Rows<Row>): readonly Row[] {
  if (!before) return next.rows;
  const named = new Map(before.rows.map((row) => [nameOf(row), row]));
  const olds = new Set(before.rows);
  // Rows that are old objects already stay.
  const taken = new Set(next.rows.filter((row) => olds.has(row)));
  const kept = next.rows.map((row, index) => {
    if (taken.has(row)) return row;
    const name = nameOf(row);
    const inPlace = before.rows[next.start + index - before.start];
    const candidates = [inPlace, name === undefined ? undefined : named.get(name)];
    const old = candidates.find(
      (each) => each !== undefined && !taken.has(each) && share(each, row) === each,
    );
    if (old !== undefined) taken.add(old);
    return old ?? row;
  });
  const isAll = kept.length === before.rows.length && kept.every((row, index) => row === before.rows[index]);
  return isAll ? before.rows : kept;
}
