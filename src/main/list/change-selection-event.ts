import { identityOf } from './rows.ts';

/** The selection has changed: `value` holds the rows that are selected now, `old` those that were. */
export class ChangeSelectionEvent extends Event {
  readonly value: readonly unknown[];
  readonly old: readonly unknown[];

  constructor(value: readonly unknown[], old: readonly unknown[]) {
    super('changeSelection');
    this.value = value;
    this.old = old;
  }

  getData(): readonly unknown[] {
    return this.value;
  }

  getOldData(): readonly unknown[] {
    return this.old;
  }
}

/** True where both contain the same rows by identity, whatever else has changed in them. */
export function areSameRows(some: readonly unknown[], others: readonly unknown[]): boolean {
  return (
    some.length === others.length &&
    some.every((row, at) => row === others[at] || identityOf(row) === identityOf(others[at]))
  );
}
