import { IDBFactory } from './indexeddb.fixture.ts';

/** A browser's databases whose transactions never end, where `hangs` says so of the nth one: not by an abort either. */
export class HangingFactory extends IDBFactory {
  hangs: (nth: number) => boolean = () => false;
  /** Transactions that were begun. */
  begun = 0;

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    request.addEventListener('success', () => {
      const database: IDBDatabase = request.result;
      const begin = database.transaction.bind(database);
      database.transaction = (...args) => {
        const transaction = begin(...args);
        this.begun += 1;
        if (this.hangs(this.begun)) silence(transaction);
        return transaction;
      };
    });
    return request;
  }
}

/** Nobody hears of its end. */
function silence(transaction: IDBTransaction): void {
  transaction.addEventListener = () => {};
  transaction.abort = () => {};
}
