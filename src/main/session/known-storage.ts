import type { StorageOpened } from '../../shared/delivery.ts';

export const DELETED = 'What was stored has been deleted';

/** The database that the page knows of. It outlives worker instances, so it tells what none of them can know. */
export class KnownStorage {
  #known: StorageOpened | null = null;

  /** True if what was stored is gone: the database of that name was made anew since the page heard of it last. */
  isLost(opened: StorageOpened): boolean {
    const before = this.#known;
    this.#known = opened;
    return before !== null && before.name === opened.name && before.madeAt !== opened.madeAt;
  }
}
