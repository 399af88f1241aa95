import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Clock } from '../system.ts';
import { Allowance } from './allowance.ts';
import { fits, refuseOversized } from './capacity.ts';
import { extended, isDue, isWorthwhile } from './compaction.ts';
import type { PatchLog } from './compaction.ts';
import type { Transaction } from './database.ts';
import { BYTES, evict, usageIn } from './eviction.ts';
import { patchesOf, putPatch } from './patches.ts';
import { wholeOf } from './response-record.ts';
import type { Amendment, RecordChange, ResponseRecord } from './response-record.ts';
import { bytesOf, laidOut } from './stored-answer.ts';
import type { StoredAnswer } from './stored-answer.ts';

/** One write of an answer. */
interface Writing {
  readonly transaction: Transaction<'readwrite'>;
  /** Bytes that the answer counted for before. */
  readonly before: number;
  /** Is told how many bytes a snapshot takes. A change takes less than what gives way to it in any case. */
  readonly needs: (bytes: number) => void;
}

/** Writes what was decided of the answers of one partition: as a snapshot, or as a change after one. */
export class AnswerWriter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #capacity: number;
  readonly #allowance = new Allowance();

  /** `capacity` in bytes. */
  constructor(clock: Pick<Clock, 'now'>, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /** `answer` is what is stored now; null where that is nothing, or damaged. */
  async write(writing: Writing, answer: StoredAnswer | null, change: RecordChange): Promise<void> {
    switch (change.kind) {
      case 'keep':
        return;
      case 'describe':
        return describe(writing, { record: change.stored, log: answer?.log ?? null });
      case 'replace':
        return this.#snapshot(writing, change.stored, change.body);
      case 'amend':
        return this.#amend(writing, answer, change);
      default:
        return unreachable(change);
    }
  }

  async #amend(writing: Writing, answer: StoredAnswer | null, amendment: Amendment): Promise<void> {
    const { stored, change } = amendment;
    const log = answer && this.#logWith(answer, amendment);
    if (log === null) return this.#snapshot(writing, stored, wholeOf(amendment));
    await putPatch(writing.transaction, stored.key, log.count, change);
    await this.#put(writing, { record: stored, log });
  }

  /** The log as it is to be with one change more; null where the whole is to be stored. */
  #logWith({ record, log }: StoredAnswer, { stored, change }: Amendment): PatchLog | null {
    if (!follows(stored.revision, record.revision) || !isWorthwhile(change, stored.size)) return null;
    const now = this.#clock.now();
    const next = extended(log, record.size, change, now);
    const { origin } = new URL(stored.url);
    if (this.#hasRoom(next, stored.size) && !isDue(next, now, this.#allowance.isFree(origin, now)))
      return next;
    this.#allowance.spend(origin, stored.size, now);
    return null;
  }

  /** Whether an answer of `size` bytes may lie there as that log, and later as a whole. */
  #hasRoom(log: PatchLog, size: number): boolean {
    return fits({ entries: 1, bytes: Math.max(bytesOf(log), size) }, this.#capacity);
  }

  async #snapshot(writing: Writing, stored: ResponseRecord, body: ArrayBuffer): Promise<void> {
    refuseOversized(stored.size, this.#capacity);
    const { transaction, needs } = writing;
    needs(stored.size);
    await Promise.all([
      transaction.objectStore('bodies').put(body, stored.key),
      transaction.objectStore('patches').delete(patchesOf(stored.key)),
    ]);
    await this.#put(writing, { record: stored, log: null });
  }

  async #put(writing: Writing, answer: StoredAnswer): Promise<void> {
    const { transaction, before } = writing;
    const { record, log } = answer;
    const { bytes } = await usageIn(transaction);
    const after = log ? bytesOf(log) : record.size;
    await Promise.all([
      describe(writing, answer),
      transaction.objectStore('meta').put(bytes - before + after, BYTES),
    ]);
    await evict(transaction, (usage) => fits(usage, this.#capacity), record.key);
  }
}

async function describe({ transaction }: Writing, answer: StoredAnswer): Promise<void> {
  await transaction.objectStore('responses').put(laidOut(answer));
}

/** Whether a change that leads to the one can have been made of the other. */
function follows(next: Revision, revision: Revision): boolean {
  return isSameRevision(next, { line: revision.line, n: revision.n + 1 });
}
