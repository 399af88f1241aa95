import { DATABASES } from '../../shared/engine.ts';
import type { IDBPDatabase } from 'idb';
import { messageOf } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { System, Clock } from '../platform/system.ts';
import { inTime } from '../platform/waiting.ts';
import { Cipher, intactKeys, makeKeys } from './cipher.ts';
import type { CipherKeys } from './cipher.ts';
import type { Step } from './migrations.ts';
import { transactOn } from './transact.ts';
import type { Connected } from './transact.ts';
import type { Transaction } from './transaction.ts';
import { wrap } from 'idb';
import { migrate } from './migrations.ts';

/** The names in `meta` of the time when the database was made, in milliseconds of the epoch, and of its keys. */
const MADE_AT = 'madeAt';
const KEYS = 'keys';

/** A database of either kind: one that is encrypted has another name, so that the two are never mixed. */
export interface DatabaseName {
  readonly partition: string;
  readonly isEncrypted: boolean;
}

export interface Opened extends Connected {
  /** Null if it was there before: then `readMadeAt` tells, in its own time. */
  readonly madeAt: number | null;
}

/** What databases need of the world. `crypto`: only if they are encrypted. */
export interface DatabaseSystem extends Pick<System, 'clock' | 'indexedDB'> {
  readonly crypto?: System['crypto'];
}

export function nameOf({ partition, isEncrypted }: DatabaseName): string {
  return `${prefixOf(isEncrypted)}${partition}`;
}

/** What the names of all databases of that kind begin with. Partitions begin with a slash. */
export function prefixOf(isEncrypted: boolean): string {
  return isEncrypted ? `${DATABASES}encrypted:` : DATABASES;
}

/** @throws Error if it cannot be opened. What should be encrypted is never written in the clear instead. */
export async function openDatabase(
  system: DatabaseSystem,
  name: DatabaseName,
  steps: readonly Step[],
): Promise<Opened> {
  const { indexedDB, crypto = null } = system;
  if (indexedDB === null) throw new Error('IndexedDB is missing here');
  if (!name.isEncrypted) return { ...(await open(indexedDB, system, name, steps, null)), cipher: null };
  if (crypto === null) throw new Error('Encryption needs WebCrypto, which a page has over https alone');
  return openEncrypted(indexedDB, crypto, system, name, steps);
}

async function openEncrypted(
  indexedDB: IDBFactory,
  crypto: NonNullable<System['crypto']>,
  system: DatabaseSystem,
  name: DatabaseName,
  steps: readonly Step[],
): Promise<Opened> {
  const candidate = await makeKeys(crypto);
  const opened = await open(indexedDB, system, name, steps, candidate);
  const keys = opened.madeAt === null ? await keysOf(opened.connection, system) : candidate;
  if (keys) return { ...opened, cipher: new Cipher(crypto, keys) };
  // Without its keys nothing in it can be read.
  opened.connection.close();
  await deleteInTime(indexedDB, system, nameOf(name));
  const anew = await open(indexedDB, system, name, steps, candidate);
  // Another engine may have made it anew, with other keys.
  const others = anew.madeAt === null ? await keysOf(anew.connection, system) : candidate;
  if (others) return { ...anew, cipher: new Cipher(crypto, others) };
  anew.connection.close();
  throw new Error('The keys of the database are damaged');
}

/** A new database gets the keys in the transaction that makes it. */
async function open(
  indexedDB: IDBFactory,
  { clock }: DatabaseSystem,
  name: DatabaseName,
  steps: readonly Step[],
  keys: CipherKeys | null,
): Promise<Omit<Opened, 'cipher'>> {
  let madeAt: number | null = null;
  const made = (upgrade: IDBTransaction): void => {
    madeAt = clock.now();
    const meta = upgrade.objectStore('meta');
    meta.put(madeAt, MADE_AT);
    if (keys) meta.put(keys, KEYS);
    // Another engine may then make it, with other keys.
    upgrade.addEventListener('abort', () => (madeAt = null));
  };
  const connection = await openInTime(indexedDB, nameOf(name), clock, steps, made);
  return { connection, madeAt };
}

export async function readMadeAt(connection: IDBPDatabase): Promise<number | null> {
  const madeAt = await metaOf(connection, MADE_AT);
  return typeof madeAt === 'number' ? madeAt : null;
}

/** A connection whose keys cannot be read is of no use, and would block the deletion. */
async function keysOf(connection: IDBPDatabase, system: DatabaseSystem): Promise<CipherKeys | null> {
  try {
    return await storedKeys(connection, system);
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function storedKeys(connection: IDBPDatabase, { clock }: DatabaseSystem): Promise<CipherKeys | null> {
  const late = `The keys were not read within ${LIMITS.transaction} ms`;
  return intactKeys(await inTime(clock, LIMITS.transaction, late, metaOf(connection, KEYS)));
}

/** The connection's own `get` would leave the end of its transaction unheard: an abort of it is nobody's failure then. */
function metaOf(connection: IDBPDatabase, name: string): Promise<unknown> {
  const { signal } = new AbortController();
  const read = (transaction: Transaction<'readonly'>): Promise<unknown> =>
    transaction.objectStore('meta').get(name);
  return transactOn({ connection, cipher: null }, ['meta'], 'readonly', read, signal);
}

/** Resolves with true once it is gone, also where a connection has blocked that for a while; false if it failed. */
export function deleted(request: IDBOpenDBRequest): Promise<boolean> {
  return new Promise((resolve) => {
    request.addEventListener('success', () => resolve(true));
    request.addEventListener('error', () => resolve(false));
  });
}

/** Deletes all databases whose names begin so, as far as the browser lets it. Never rejects. */
export async function deleteAll(indexedDB: IDBFactory | null, prefix: string): Promise<void> {
  for (const name of await namesBelow(indexedDB, prefix).catch(() => [])) indexedDB?.deleteDatabase(name);
}

/** The names of all databases that begin so. Rejects in a browser that does not tell. */
export async function namesBelow(indexedDB: IDBFactory | null, prefix: string): Promise<string[]> {
  const found = (await indexedDB?.databases()) ?? [];
  return found.flatMap(({ name }) => (name?.startsWith(prefix) ? [name] : []));
}

/** Other connections close when they hear of it. */
async function deleteInTime(indexedDB: IDBFactory, { clock }: DatabaseSystem, name: string): Promise<void> {
  const deletion = new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new Error('It cannot be deleted')));
  });
  await inTime(clock, LIMITS.transaction, `The database '${name}' was not deleted in time`, deletion);
}

const LATE = `IndexedDB did not answer within ${LIMITS.opening / 1_000} s`;

/** A database was not opened in time. It may be opened later. */
export class OpensLate extends Error {
  override readonly name = 'OpensLate';
}

/**
 * Opens a database within `LIMITS.opening`, at the version that its steps lead to or at a later one. A second attempt
 * starts when the first has failed, or has been silent for half of that: WebKit's first open can hang (platform.md).
 * The first to answer is used. A later one is closed, and so is an upgrade that was blocked for longer. `made` is
 * called if there was no such database before, in the transaction that makes it.
 */
export async function openInTime(
  factory: IDBFactory,
  name: string,
  clock: Clock,
  steps: readonly Step[],
  made: (upgrade: IDBTransaction) => void = () => {},
): Promise<IDBPDatabase> {
  const attempts: Promise<IDBPDatabase>[] = [];
  const attempt = (): Promise<IDBPDatabase> => {
    attempts.push(openAt(factory, name, steps, made));
    return inTime(clock, LIMITS.opening / 2, LATE, Promise.any(attempts));
  };
  let first: IDBPDatabase | null = null;
  try {
    first = await attempt().catch(attempt);
    return first;
  } catch (error) {
    throw messageOf(error) === LATE ? new OpensLate(LATE, { cause: error }) : error;
  } finally {
    for (const each of attempts) void closeUnless(each, first);
  }
}

async function openAt(
  factory: IDBFactory,
  name: string,
  steps: readonly Step[],
  made: (upgrade: IDBTransaction) => void,
): Promise<IDBPDatabase> {
  try {
    return await answered(factory.open(name, steps.length), steps, made);
  } catch (error) {
    // A newer release was here: it was rolled back, or works beside this one. What it added does no harm.
    if (error instanceof Error && error.name === 'VersionError')
      return await answered(factory.open(name), steps, made);
    throw error;
  }
}

async function answered(
  opening: IDBOpenDBRequest,
  steps: readonly Step[],
  made: (upgrade: IDBTransaction) => void,
): Promise<IDBPDatabase> {
  const mistakes: Error[] = [];
  opening.addEventListener('upgradeneeded', ({ oldVersion }) => {
    if (!opening.transaction) return;
    const mistake = mistakeIn(opening.transaction, oldVersion, steps);
    if (mistake) mistakes.push(mistake);
    else if (oldVersion === 0) made(opening.transaction);
  });
  try {
    await wrap(opening);
  } catch (error) {
    // The browser only says that it was aborted.
    throw mistakes[0] ?? error;
  }
  return wrap(opening.result);
}

/** Migrates, or leaves everything as it was and returns why. */
function mistakeIn(upgrade: IDBTransaction, from: number, steps: readonly Step[]): Error | null {
  try {
    migrate(upgrade, from, steps);
    return null;
  } catch (cause) {
    upgrade.abort();
    const message = `The database cannot be brought from version ${from} to ${steps.length}`;
    return new Error(`${message}: ${String(cause)}`, { cause });
  }
}

async function closeUnless(opening: Promise<IDBPDatabase>, wanted: IDBPDatabase | null): Promise<void> {
  try {
    const connection = await opening;
    if (connection !== wanted) connection.close();
  } catch {
    // It never opened.
  }
}
