import { LIMITS } from '../../shared/limits.ts';
import { sizeOfPatch } from '../../shared/patch.ts';
import type { Patch, MapChange } from '../../shared/patch.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { compare } from './compare.ts';
import { isSamePath } from './container.ts';
import type { Document } from './container.ts';
import { envelopeText } from './scan.ts';
import { eachRun } from './byte-delta.ts';
import type { Runs } from './byte-delta.ts';
import { Proof, validate } from './validate.ts';
import { keyEnd, keyText } from './walk.ts';
import { PauseMeter } from '../platform/giving-way.ts';

/** Cost of reading a key, and of passing one by, in bytes. */
const WORK = 256;

const LITTLE_WORK = 16;

/** How a document follows from the previous one. `runs` tell how its members do, for `makeByteDelta`. */
export type Comparison =
  /** It means the same; only white space may differ, or the order of a row's keys. */
  | { readonly kind: 'same'; readonly runs: Runs }
  | { readonly kind: 'patched'; readonly patch: Patch; readonly runs: Runs }
  /** It is proven, and must be sent whole. */
  | { readonly kind: 'whole' }
  /** It has members that are not JSON, or two of the same name: JSON.parse has to say what it is. */
  | { readonly kind: 'unproven' };

/** Proves new members of `next`; `old` is proven. A patch has at most half of the whole, and about `largest` bytes. */
export function* makePatch(
  old: Document,
  next: Document,
  largest: number = LIMITS.patchSize,
): Generator<void, Comparison> {
  if (!isComparable(old, next)) return { kind: (yield* validate(next)) ? 'whole' : 'unproven' };
  const runs = yield* compare(old, next);
  const most = Math.min(largest, next.bytes.length / 2);
  const news = yield* provenNews(next, runs, most);
  if (news === null) return { kind: 'unproven' };
  const change = yield* changeBy(old, next, runs, news);
  if (change === 'unproven') return { kind: 'unproven' };
  if (change === 'reordered') return { kind: 'whole' };
  const patch = { path: next.path, envelope: newEnvelope(old, next), change };
  if (change === null && patch.envelope === null) return { kind: 'same', runs };
  return news.size > most || sizeOfPatch(patch) > most ? { kind: 'whole' } : { kind: 'patched', patch, runs };
}

function isComparable(old: Document, next: Document): boolean {
  return old.kind === next.kind && isSamePath(old.path, next.path);
}

function newEnvelope(old: Document, next: Document): string | null {
  const envelope = envelopeText(next);
  return envelope === envelopeText(old) ? null : envelope;
}

/** The members that are not in the previous body. */
interface News {
  /** Their text, without brackets; '' if it is too long to be sent. */
  readonly text: string;
  readonly names: ReadonlySet<string>;
  readonly size: number;
}

function* provenNews(next: Document, runs: Runs, most: number): Generator<void, News | null> {
  const size = sizeOfNews(next, runs);
  const proof = new Proof(next);
  const texts: string[] = [];
  for (const { from, count, to } of eachRun(runs)) {
    if (from !== null) continue;
    const proven = yield* proof.of(to, count, (text) => {
      if (size <= most) texts.push(text);
    });
    if (!proven) return null;
  }
  return { text: texts.join(','), names: proof.names, size };
}

function sizeOfNews({ table }: Document, runs: Runs): number {
  let size = 0;
  for (const { from, count, to } of eachRun(runs)) {
    if (from === null) size += (table.ends[to + count - 1] ?? 0) - (table.starts[to] ?? 0);
  }
  return size;
}

function* changeBy(
  old: Document,
  next: Document,
  runs: Runs,
  { text, names }: News,
): Generator<void, Patch['change'] | 'unproven' | 'reordered'> {
  switch (old.kind) {
    case 'list':
      return isAsBefore(old, runs) ? null : { kind: 'list', runs, rows: `[${text}]` };
    case 'map':
      return yield* mapChange(old, next, runs, names, `{${text}}`);
    default:
      return unreachable(old.kind);
  }
}

function isAsBefore({ table }: Document, runs: Runs): boolean {
  return runs.length === 2 && runs[0] === 0 && runs[1] === table.count;
}

/**
 * The change that a map's new members, of these names, make. 'unproven' if one has the name of a member that stays;
 * 'reordered' if a page that sets and removes members would have them in another order.
 */
function* mapChange(
  old: Document,
  next: Document,
  runs: Runs,
  names: ReadonlySet<string>,
  set: string,
): Generator<void, MapChange | null | 'unproven' | 'reordered'> {
  const stays = new Uint8Array(old.table.count);
  for (const { from, count } of eachRun(runs)) if (from !== null) stays.fill(1, from, from + count);
  const replaced = new Map<string, number>();
  const removed: string[] = [];
  const pace = new PauseMeter();
  for (const [index, kept] of stays.entries()) {
    if (pace.isDue(LITTLE_WORK)) yield;
    if (kept === 1) continue;
    const name = nameAt(old, index);
    if (names.has(name)) replaced.set(name, index);
    else removed.push(name);
  }
  if (replaced.size < names.size) {
    for (const [index, kept] of stays.entries()) {
      if (pace.isDue(WORK)) yield;
      if (kept === 1 && names.has(nameAt(old, index))) return 'unproven';
    }
  }
  if (!(yield* isInOrder(next, runs, replaced))) return 'reordered';
  return names.size === 0 && removed.length === 0 ? null : { kind: 'map', removed, set };
}

/** True if the former members keep their order, and all others follow them. */
function* isInOrder(
  next: Document,
  runs: Runs,
  replaced: ReadonlyMap<string, number>,
): Generator<void, boolean> {
  const pace = new PauseMeter();
  let last = -1;
  for (const { from, count, to } of eachRun(runs)) {
    for (let member = 0; member < count; member += 1) {
      const place = from === null ? (replaced.get(nameAt(next, to + member)) ?? Infinity) : from + member;
      if (place < last) return false;
      last = place;
      if (pace.isDue(from === null ? WORK : LITTLE_WORK)) yield;
    }
  }
  return true;
}

function nameAt({ bytes, table }: Document, index: number): string {
  const start = table.starts[index] ?? 0;
  return keyText(bytes, start, keyEnd(bytes, start) ?? start) ?? '';
}
