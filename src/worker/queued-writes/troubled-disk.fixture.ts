import { IDBFactory } from '../storage/indexeddb.fixture.ts';

/** Databases of waiting writes on a disk that is late or full. */
export class TroubledDisk extends IDBFactory {
  /** Transactions that write complete, but never say so, and cannot be aborted, as on a slow disk. */
  isLate = false;
  /** Transactions that write cannot begin. */
  isFull = false;
  /** No transaction can begin. */
  isBroken = false;
  /** How many transactions that write have begun. */
  writing = 0;

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    if (name.includes('outbox')) request.addEventListener('success', () => this.#trouble(request.result));
    return request;
  }

  #trouble(database: IDBDatabase): void {
    const begin = database.transaction.bind(database);
    database.transaction = (names, mode, options): IDBTransaction => {
      if (this.isBroken) throw new DOMException('late', 'UnknownError');
      if (mode !== 'readwrite') return begin(names, mode, options);
      if (this.isFull) throw new DOMException('full', 'QuotaExceededError');
      this.writing += 1;
      const transaction = begin(names, mode, options);
      if (!this.isLate) return transaction;
      return Object.assign(transaction, { addEventListener: () => {}, abort: () => {} });
    };
  }
}
