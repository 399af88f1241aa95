import type { Row, Written } from './written.ts';

/** Whether a list shows a write over its base: surely, perhaps (it may not have heard of it yet, or not of its end), or not. */
export type Standing = 'must' | 'may' | 'not';

/** What a list may show. */
export interface Allowed {
  /** The list in that version, as its server has it. */
  readonly base: readonly Row[];
  readonly standings: ReadonlyMap<Written, Standing>;
  /** The titles that a write may give. */
  readonly titlesOf: (write: Written) => readonly string[];
  /** Rows of which the model says nothing, because what has created them may be shown twice. */
  readonly isUnclear: (tag: string) => boolean;
}

/** More writes to one row that may or may not be shown are not looked at one by one. */
const MOST = 10;

/**
 * True where these rows are that version of the server's list, in its order, under writes that are not in it. Rows that are
 * created stand at its end.
 */
export function isAllowed(rows: readonly Row[], allowed: Allowed): boolean {
  const { base, standings, isUnclear } = allowed;
  const shown = rowsByTag(rows);
  const known = rowsByTag(base);
  const writes = new Map<string, Written[]>();
  for (const [write, standing] of standings)
    if (standing !== 'not') writes.set(write.tag, [...(writes.get(write.tag) ?? []), write]);
  const tags = new Set([...shown.keys(), ...known.keys(), ...writes.keys()]);
  for (const tag of tags) {
    const found = shown.get(tag) ?? [];
    if (isUnclear(tag)) {
      if (found.length > 2) return false;
      continue;
    }
    if (found.length > 1) return false;
    if (!isRowAllowed(found[0], known.get(tag)?.[0], writes.get(tag) ?? [], allowed)) return false;
  }
  const clear = rows.filter(({ tag }) => !isUnclear(tag));
  return isInOrder(clear, base);
}

function rowsByTag(rows: readonly Row[]): Map<string, Row[]> {
  const all = new Map<string, Row[]>();
  for (const row of rows) all.set(row.tag, [...(all.get(row.tag) ?? []), row]);
  return all;
}

/** First those of the server in its order, then those that are created. */
function isInOrder(rows: readonly Row[], base: readonly Row[]): boolean {
  const places = rows.map((row) => base.findIndex(({ tag }) => tag === row.tag));
  const inOrder = places.map((place) => (place === -1 ? Infinity : place));
  return inOrder.every((place, index) => place >= (inOrder[index - 1] ?? 0));
}

function isRowAllowed(
  shown: Row | undefined,
  base: Row | undefined,
  writes: readonly Written[],
  { standings, titlesOf }: Allowed,
): boolean {
  const sure = writes.filter((write) => standings.get(write) === 'must');
  const perhaps = writes.filter((write) => standings.get(write) === 'may');
  if (perhaps.length > MOST) return true;
  for (let some = 0; some < 2 ** perhaps.length; some += 1) {
    const applied = [...sure, ...perhaps.filter((_, index) => (some & (1 << index)) !== 0)];
    if (isRow(shown, base, applied, titlesOf)) return true;
  }
  return false;
}

/** True where that is the row of the server's list, if it is there, after exactly these writes. */
function isRow(
  shown: Row | undefined,
  base: Row | undefined,
  applied: readonly Written[],
  titlesOf: Allowed['titlesOf'],
): boolean {
  const create = applied.find(({ action }) => action === 'create');
  const isThere = (base || create) && !applied.some(({ action }) => action === 'remove');
  if (!shown || !isThere) return !shown && !isThere;
  const isId = base ? shown.id === base.id : typeof shown.id === 'string' || shown.id === create?.givenId;
  const likes = applied.filter(({ action }) => action === 'love' || action === 'like').length;
  if (!isId || (shown.likes ?? 0) !== (base?.likes ?? 0) + likes) return false;
  const renames = applied.filter(({ action }) => action === 'rename');
  if (renames.length > 0) return lastOf(renames).some((write) => titlesOf(write).includes(shown.title));
  const titles = base ? [base.title] : create ? titlesOf(create) : [];
  return titles.includes(shown.title);
}

/** Those that may be the last: of two tabs that write at the same time, nobody knows the order. */
function lastOf(writes: readonly Written[]): readonly Written[] {
  return writes.filter((write) => writes.every((other) => other.n <= write.n || isBeside(write, other)));
}

function isBeside(write: Written, later: Written): boolean {
  return write.page !== later.page && (write.queuedAt === null || write.queuedAt >= later.calledAt);
}
