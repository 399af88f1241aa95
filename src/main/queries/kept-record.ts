import type { QueryRecord, RecordWatcher } from './record.ts';

/** The record of what a loop asks: it is kept as long as the loop asks, and fetches until the first answer. */
export class KeptRecord {
  #leave: (() => void) | null = null;
  #answered: (() => void) | null = null;

  /** Keeps this record instead of the one before; null for none. */
  keep(record: QueryRecord | null): void {
    const [leave, answered] = [this.#leave, this.#answered];
    this.#leave = record && record.watch(new Nobody());
    this.#answered = record && record.begin();
    answered?.();
    leave?.();
  }

  /** The first answer, or a later one, has come. */
  answered(): void {
    this.#answered?.();
  }
}

/** Watches without looking. */
class Nobody implements RecordWatcher {
  hear(): void {}
  changed(): void {}
  ended(): void {}
}
