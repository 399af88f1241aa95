import type { IDBPDatabase } from 'idb';
import { LIMITS } from '../../shared/limits.ts';
import type { System } from '../platform/system.ts';
import { inTime } from '../platform/waiting.ts';
import { Cipher, intactKeys, makeKeys } from './cipher.ts';
import type { CipherKeys } from './cipher.ts';
import type { Step } from './migrations.ts';
import { openInTime } from './open.ts';
import { transactOn } from './transact.ts';
import type { Connected } from './transact.ts';
import type { Transaction } from './transaction.ts';

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
  return isEncrypted ? 'offstage:encrypted:' : 'offstage:';
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

/** Deletes all databases whose names begin so, as far as the browser lets it. Never rejects. */
export async function deleteAll(indexedDB: IDBFactory | null, prefix: string): Promise<void> {
  for (const name of await namesBelow(indexedDB, prefix)) indexedDB?.deleteDatabase(name);
}

/** The names of all databases that begin so; none in a browser that does not tell. Never rejects. */
export async function namesBelow(indexedDB: IDBFactory | null, prefix: string): Promise<string[]> {
  try {
    const found = (await indexedDB?.databases()) ?? [];
    return found.flatMap(({ name }) => (name?.startsWith(prefix) ? [name] : []));
  } catch {
    return [];
  }
}

/** Other connections close when they hear of it. */
async function deleteInTime(indexedDB: IDBFactory, { clock }: DatabaseSystem, name: string): Promise<void> {
  const deleted = new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new Error('It cannot be deleted')));
  });
  await inTime(clock, LIMITS.transaction, `The database '${name}' was not deleted in time`, deleted);
}
