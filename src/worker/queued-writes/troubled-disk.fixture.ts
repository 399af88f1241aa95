import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';

/** Databases of waiting writes on a disk that is late or full. */
export class TroubledDisk extends FaultyDisk {
  /** Transactions that write complete, but never say so, and cannot be aborted, as on a slow disk. */
  isLate = false;
  /** Transactions that write cannot begin. */
  isFull = false;
  /** No transaction can begin. */
  isBroken = false;
  /** How many transactions that write have begun. */
  writing = 0;

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    if (this.isBroken) throw new DOMException('late', 'UnknownError');
    if (mode !== 'readwrite') return begin(names, mode, options);
    if (this.isFull) throw new DOMException('full', 'QuotaExceededError');
    this.writing += 1;
    const transaction = begin(names, mode, options);
    if (!this.isLate) return transaction;
    return Object.assign(transaction, { addEventListener: () => {}, abort: () => {} });
  }
}
