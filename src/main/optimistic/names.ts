import { LIMITS } from '../../shared/limits.ts';
import { TEMPORARY_MARK } from '../../shared/outbox.ts';
import type { GivenId } from '../../shared/outbox.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { named } from './write.ts';
import type { OptimisticWrite } from './write.ts';

/** The ids that servers have given, and which writes name what has none yet: a server's answer costs nothing for all others. */
export class Names {
  /** The id that each temporary id stands for, or, before its server has given one, the writes that name it. */
  readonly #known = new RecentlyUsed<string, GivenId | Set<string>>(2 * LIMITS.waitingWrites);

  /** The write of that id, with what is known; the same object where that is nothing. */
  in(id: string, write: OptimisticWrite): OptimisticWrite {
    return named(write, (text) => {
      const known = this.#known.get(text);
      const isNew = known === undefined && text.startsWith(TEMPORARY_MARK);
      if (!isNew && typeof known !== 'object') return known;
      this.#known.set(text, (known ?? new Set()).add(id));
      return undefined;
    });
  }

  /** Returns the writes that have named it until now. */
  give(temporaryId: string, id: GivenId): readonly string[] {
    const known = this.#known.get(temporaryId);
    this.#known.set(temporaryId, id);
    return typeof known === 'object' ? [...known] : [];
  }

  clear(): void {
    this.#known.clear();
  }
}
