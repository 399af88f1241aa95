import type { QueryRecord, RecordWatcher } from './record.ts';

/** Keeps one record at a time, with its response, without looking at it. */
export class KeptRecord {
  readonly #watcher: RecordWatcher;
  #record: QueryRecord | null = null;
  #leave: (() => void) | null = null;

  /** `ended` is called when the record ends: the page goes on with another identity. */
  constructor(ended: () => void = () => {}) {
    this.#watcher = { hear: () => {}, changed: () => {}, ended };
  }

  /** Keeps this record instead of the one before; null for none. */
  keep(record: QueryRecord | null): void {
    if (record === this.#record) return;
    const leave = this.#leave;
    this.#record = record;
    this.#leave = record && record.watch(this.#watcher);
    leave?.();
  }
}

/** The record of what a loop asks: it is kept as long as the loop asks, and fetches until the first answer. */
export class AskedRecord {
  readonly #kept = new KeptRecord();
  #answered: (() => void) | null = null;

  /** The loop asks this from now on; null for nothing. */
  ask(record: QueryRecord | null): void {
    this.#answered?.();
    this.#kept.keep(record);
    this.#answered = record && record.begin();
  }

  /** The first answer, or a later one, has come. */
  answered(): void {
    this.#answered?.();
  }
}
