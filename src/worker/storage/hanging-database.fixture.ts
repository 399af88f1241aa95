import { IDBFactory } from './indexeddb.fixture.ts';

/** Which transactions hang: by their count, their stores and their mode. */
export type Hangs = (nth: number, stores: readonly string[], mode: IDBTransactionMode) => boolean;

/** Databases of which `hangs` silences transactions: none reports its end, or heeds an abort. Those that it `refuses` cannot begin, by that error. */
export class HangingFactory extends IDBFactory {
  hangs: Hangs = () => false;
  refuses: (stores: readonly string[], mode: IDBTransactionMode) => boolean | 'AbortError' = () => false;
  /** Transactions that were begun. */
  begun = 0;

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    request.addEventListener('success', () => {
      const database: IDBDatabase = request.result;
      const begin = database.transaction.bind(database);
      database.transaction = (names, mode = 'readonly', options) => {
        const stores = typeof names === 'string' ? [names] : [...names];
        const refused = this.refuses(stores, mode);
        if (refused) throw new DOMException('late', refused === true ? 'UnknownError' : refused);
        const transaction = begin(names, mode, options);
        this.begun += 1;
        if (this.hangs(this.begun, [...transaction.objectStoreNames], mode)) silence(transaction);
        return transaction;
      };
    });
    return request;
  }
}

/** No listener hears that it has ended. */
function silence(transaction: IDBTransaction): void {
  transaction.addEventListener = () => {};
  transaction.abort = () => {};
}
