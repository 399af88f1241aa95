import { IDBFactory } from '../storage/indexeddb.fixture.ts';

/** Begins a transaction as a disk without faults does. */
export type Begin = IDBDatabase['transaction'];

/** A disk whose faults are in the transactions of some databases: those of waiting writes, unless it says otherwise. */
export abstract class FaultyDisk extends IDBFactory {
  /** Begins a transaction with its faults. */
  protected abstract begin(begin: Begin, ...given: Parameters<Begin>): IDBTransaction;

  protected isMeant(database: string): boolean {
    return database.includes('outbox');
  }

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    if (this.isMeant(name)) request.addEventListener('success', () => this.#take(request.result));
    return request;
  }

  #take(database: IDBDatabase): void {
    const begin = database.transaction.bind(database);
    database.transaction = (...given) => this.begin(begin, ...given);
  }
}
