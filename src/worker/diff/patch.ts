import { sizeOfPatch } from '../../shared/patch.ts';
import type { Patch } from '../../shared/patch.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { compare } from './compare.ts';
import { isSamePath } from './document.ts';
import type { Document } from './document.ts';
import { envelopeText } from './envelope.ts';
import { mapChange } from './map-change.ts';
import { eachRun } from './runs.ts';
import type { Runs } from './runs.ts';
import { Proof, validate } from './validate.ts';

/** What a document is to the one before. `runs` tell how its members follow from those, for `makeByteChange`. */
export type Comparison =
  /** It means the same; only white space may differ, or the order of a row's keys. */
  | { readonly kind: 'same'; readonly runs: Runs }
  | { readonly kind: 'patched'; readonly patch: Patch; readonly runs: Runs }
  /** It is proven, and to be sent whole. */
  | { readonly kind: 'whole' }
  /** It has members that are no JSON, or two of the same name: JSON.parse has to say what it is. */
  | { readonly kind: 'unproven' };

/** Bytes (design section 9, "8 MiB largest patch"). */
const LARGEST_PATCH = 8_388_608;

/**
 * Makes a patch from one document to the next, of which `old` is proven. What is new in `next` is proven here. A patch
 * has at most `largest` bytes, about, and at most half of what the whole has.
 */
export function* makePatch(
  old: Document,
  next: Document,
  largest: number = LARGEST_PATCH,
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

/** The members that are not in the body before. */
interface News {
  /** Their text, without brackets; '' where it is too long to be sent. */
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
