import type { IDBPDatabase, IDBPTransaction } from 'idb';
import type { Cipher } from './cipher.ts';
import { SealedTransaction } from './sealed-transaction.ts';
import type { StoreName, Transaction } from './transaction.ts';

/** `strict`: on the disk when it has completed, and not just on its way there. */
export type Durability = 'strict' | 'relaxed';

/** A database as transactions need it. */
export interface Connected {
  readonly connection: IDBPDatabase;
  /** Null if what it holds is not encrypted. */
  readonly cipher: Cipher | null;
}

/** Runs `work` in one transaction and resolves when that has completed; `signal` aborts it. */
export async function transactOn<Mode extends 'readonly' | 'readwrite', T>(
  { connection, cipher }: Connected,
  stores: readonly StoreName[],
  mode: Mode,
  work: (transaction: Transaction<Mode>) => Promise<T>,
  signal: AbortSignal,
  durability: Durability = 'relaxed',
): Promise<T> {
  const transaction = connection.transaction([...stores], mode, { durability });
  signal.addEventListener('abort', () => abort(transaction));
  const done = transaction.done.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  try {
    const result = await work(withPlainValues<Mode>(transaction, stores, cipher));
    const broken = await done;
    if (broken) throw broken.error;
    return result;
  } catch (error) {
    abort(transaction);
    throw error;
  }
}

/** A readonly transaction of IndexedDB has the writing methods too: they throw, and its type here has none. */
function withPlainValues<Mode extends IDBTransactionMode>(
  transaction: IDBPTransaction<unknown, StoreName[], Mode>,
  stores: readonly StoreName[],
  cipher: Cipher | null,
): Transaction<Mode> {
  // The compiler cannot tell what the mode comes to.
  const raw: Transaction<'readwrite'> = Object(transaction);
  return Object(cipher ? new SealedTransaction(raw, stores[0] ?? 'meta', cipher) : raw);
}

/** The smallest possible work. */
export function probe(transaction: Transaction<'readonly'>): Promise<unknown> {
  return transaction.objectStore('meta').get('probe');
}

function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort();
  } catch {
    // It is over already.
  }
}
