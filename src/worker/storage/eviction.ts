import type { Database, StoreName, Transaction } from './database.ts';
import { deltasOf } from './stored-body.ts';
import { isWhole, METADATA, sizeOf, usedAtOf } from './response-record.ts';

/** The stores of answers, and the one that has their usage. */
export const ANSWERS: readonly StoreName[] = ['responses', 'bodies', 'patches', 'meta'];

/** Its name in `meta`: the number of answers, and the bytes of their bodies, logs and long metadata included. */
export const USAGE = 'response-usage';

/** Most answers, and fewest, that are read at a time to find the least recently used: about as many as came. */
const SLICE = 64;
const FEW = 8;

/** Most answers that one transaction removes: it must end in time. */
export const MOST_REMOVED = 512;

/** The room that is being made in a database. Without this, writes that are refused together would halve it each. */
const underWay = new WeakMap<Database, Promise<void>>();

interface Vain {
  /** Milliseconds of the epoch. */
  readonly at: number;
  /** How many bytes were to be written. */
  readonly bytes: number;
}

/** Databases in which a write was refused even after room was made. */
const madeInVain = new WeakMap<Database, Vain>();

/**
 * Milliseconds after which room is made once more. Chromium gives the room of what was removed back when its database
 * has tidied up, which can take longer than this; and other sites may fill the disk. Until then more would only be lost.
 */
const IN_VAIN = 30_000;

/**
 * Writes. If the browser has no more room, removes some of the answers and writes once more: answers can be fetched
 * again, so they give way to everything else. Null where it is not worth that. Where room is being made already, it is
 * waited for, and more is made only if that was not enough.
 */
export async function withRoom<T>(
  database: Database,
  need: Need | null,
  write: () => Promise<T>,
): Promise<T> {
  const before = madeInVain.get(database);
  const attemptOnce = (): Promise<Attempt<T>> => attemptOf(database, need, write);
  let attempt = await attemptOnce();
  if (attempt.kind === 'written') return attempt.result;
  if (need === null) throw attempt.error;
  database.noteFull();
  const making = underWay.get(database);
  if (making) {
    // If it fails, the one who makes it is told so.
    await making.catch(() => {});
    attempt = await attemptOnce();
    if (attempt.kind === 'written') return attempt.result;
  }
  const vain = madeInVain.get(database);
  // Even what insists has had the room that was made meanwhile.
  const mayInsist = need.insists && vain === before;
  if (vain && !mayInsist && isInVain(database, vain, need.bytes())) throw attempt.error;
  await shareRoom(database, need.bytes());
  attempt = await attemptOnce();
  if (attempt.kind === 'written') return attempt.result;
  madeInVain.set(database, { at: database.clock.now(), bytes: need.bytes() });
  throw attempt.error;
}

/** Much less than what was refused may find room all the same: one answer where many together did not. */
function isInVain({ clock }: Database, vain: Vain, bytes: number): boolean {
  const since = clock.now() - vain.at;
  return since >= 0 && since < IN_VAIN && bytes * MUCH >= vain.bytes;
}

/** How many times as much that was refused says nothing of a write. */
const MUCH = 4;

export interface Need {
  /** How many bytes were to be written, known once that was tried. */
  readonly bytes: () => number;
  /** True if answers give way to it though others gave way in vain just before. */
  readonly insists: boolean;
}

type Attempt<T> =
  { readonly kind: 'written'; readonly result: T } | { readonly kind: 'refused'; readonly error: unknown };

/** @throws what the write throws, unless the browser has no more room. */
async function attemptOf<T>(
  database: Database,
  need: Need | null,
  write: () => Promise<T>,
): Promise<Attempt<T>> {
  try {
    const result = await write();
    // A smaller write than the one that was refused, such as a removal, does not show that there is room for that one.
    const [vain, written] = [madeInVain.get(database), need?.bytes() ?? 0];
    if (vain && written > 0 && written >= vain.bytes) madeInVain.delete(database);
    return { kind: 'written', result };
  } catch (error) {
    if (isQuotaExceeded(error)) return { kind: 'refused', error };
    throw error;
  }
}

async function shareRoom(database: Database, needed: number): Promise<void> {
  const making = makeRoom(database, needed);
  underWay.set(database, making);
  try {
    await making;
  } finally {
    if (underWay.get(database) === making) underWay.delete(database);
  }
}

/**
 * The quota is unknown, so half of all bytes go, or more if needed, or half of the answers if none has a body; in
 * transactions that each end in time.
 */
async function makeRoom(database: Database, needed: number): Promise<void> {
  let goal: number | null = null;
  let usage: Usage;
  do {
    usage = await database.transact(ANSWERS, 'readwrite', async (transaction) => {
      const counted = await countedIn(transaction);
      const before = counted.usage;
      const enough = (goal ??= Math.max(0, Math.min(before.bytes / 2, before.bytes - needed)));
      const most = before.bytes > 0 ? before.entries : before.entries / 2;
      const isEnough = ({ bytes, entries }: Usage): boolean =>
        (bytes <= enough && entries <= most) || entries <= before.entries - MOST_REMOVED;
      // Where nothing is left, a browser refuses every value, however small, and with it what was removed.
      await transaction.objectStore('meta').delete(USAGE);
      return (await evict(transaction, counted, isEnough)).usage;
    });
    await note(database, usage);
  } while (usage.bytes > (goal ?? 0) && usage.entries > 0);
}

/** Stores the usage, unless another engine has counted since; otherwise the next write counts all answers. */
async function note(database: Database, usage: Usage): Promise<void> {
  const noted = database.transact(['meta'], 'readwrite', async (transaction) => {
    const meta = transaction.objectStore('meta');
    if ((await meta.get(USAGE)) === undefined) await meta.put(usage, USAGE);
  });
  await noted.catch(() => {});
}

/** The count of stored answers, which all engines share in `meta`. */
export interface Counted {
  /** How many answers are stored, and their bytes. */
  readonly usage: Usage;
  /** None of them was used before, in milliseconds of the epoch; null if that is not known. */
  readonly from: number | null;
}

/**
 * Removes the least recently used answers until it is enough; the keys `spared` stay. Chromium reads past all that was
 * removed from the start of an index, until it is tidied up: it need not where the search begins at `from`. If all
 * others are gone and it is still not enough, the count was wrong, and what is left is counted anew.
 */
export async function evict(
  transaction: Transaction<'readwrite'>,
  before: Counted,
  isEnough: (usage: Usage) => boolean,
  spared: ReadonlySet<IDBValidKey> = new Set(),
): Promise<Counted> {
  const index = transaction.objectStore('responses').index('usedAt');
  const skipped = new Set<IDBValidKey>();
  const slice = spared.size === 0 ? SLICE : Math.min(Math.max(spared.size, FEW), SLICE);
  let { usage, from: low } = before;
  while (!isEnough(usage)) {
    const range = low === null ? null : IDBKeyRange.lowerBound(low);
    const limit = slice + skipped.size;
    const found: unknown[] = await index.getAll(range, limit);
    const victims = found.filter((each) => !spared.has(keyOf(each)));
    if (victims.length === 0 && found.length < limit) {
      if (low === null) return { usage: usageOf(found), from: null };
      low = null;
      continue;
    }
    for (const each of found) if (spared.has(keyOf(each))) skipped.add(keyOf(each));
    const erased: Promise<void>[] = [];
    for (const victim of victims) {
      if (isEnough(usage)) break;
      usage = { entries: usage.entries - 1, bytes: usage.bytes - sizeOf(victim) };
      erased.push(erase(transaction, keyOf(victim), isWhole(victim)));
      if (skipped.size === 0) low = usedAtOf(victim);
    }
    await Promise.all(erased);
  }
  return { usage, from: low };
}

/** Removes all that is stored of an answer, whole in its record or not; the caller subtracts what it counted for. */
export async function erase(
  transaction: Transaction<'readwrite'>,
  key: IDBValidKey,
  isWholeOne: boolean,
): Promise<void> {
  const responses = transaction.objectStore('responses');
  if (isWholeOne) return void (await responses.delete(key));
  await Promise.all([
    responses.delete(key),
    transaction.objectStore('bodies').delete(key),
    transaction.objectStore('patches').delete(deltasOf(key)),
  ]);
}

/** The usage is stored: counting would read all answers. It is counted if it is missing or damaged. */
export async function countedIn(
  transaction: Transaction<'readonly'> | Transaction<'readwrite'>,
): Promise<Counted> {
  const stored: unknown = await transaction.objectStore('meta').get(USAGE);
  const { entries, bytes, from } = Object(stored);
  const isIntact = [entries, bytes].every((each) => Number.isSafeInteger(each) && each >= 0);
  if (!isIntact) return { usage: await countAll(transaction), from: null };
  return { usage: { entries, bytes }, from: Number.isFinite(from) ? from : null };
}

export async function keepCounted(
  transaction: Transaction<'readwrite'>,
  { usage, from }: Counted,
): Promise<void> {
  await transaction.objectStore('meta').put({ ...usage, from }, USAGE);
}

/** By the index, whose values are not decrypted. Several may have been used at one time, that of the last one found. */
async function countAll(transaction: Transaction<'readonly'> | Transaction<'readwrite'>): Promise<Usage> {
  const index = transaction.objectStore('responses').index('usedAt');
  let [entries, bytes] = [0, 0];
  let range: IDBKeyRange | null = null;
  let counted = new Set<IDBValidKey>();
  for (;;) {
    const limit = COUNTED + counted.size;
    const found: unknown[] = await index.getAll(range, limit);
    const { entries: more, bytes: size } = usageOf(found.filter((each) => !counted.has(keyOf(each))));
    [entries, bytes] = [entries + more, bytes + size];
    if (found.length < limit) return { entries, bytes };
    counted = new Set(found.map(keyOf));
    range = IDBKeyRange.lowerBound(Object(found.at(-1)).usedAt);
  }
}

/** Answers that are read at a time when they are counted. */
const COUNTED = 500;

function usageOf(found: readonly unknown[]): Usage {
  return { entries: found.length, bytes: found.reduce<number>((sum, each) => sum + sizeOf(each), 0) };
}

/** As it is, though it is no text: another would remove nothing. */
function keyOf(value: unknown): IDBValidKey {
  return Object(value).key;
}

export function isQuotaExceeded(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}

export interface Usage {
  readonly entries: number;
  /** Bytes of bodies, their logs included. */
  readonly bytes: number;
}

export function fits({ entries, bytes }: Usage, capacity: number): boolean {
  return bytes + entries * METADATA <= capacity;
}

/** @throws RangeError if the answer would not fit even alone. */
export function refuseOversized(size: number, capacity: number): void {
  if (!fits({ entries: 1, bytes: size }, capacity)) {
    throw new RangeError(`An answer of ${size} bytes is larger than the whole cache of ${capacity}`);
  }
}
