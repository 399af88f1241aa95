import type { Place, RootMemory } from '../contracts/root-store.ts';
import { Deferred } from '../platform/waiting.ts';

/** Where an identity is stored. */
export class Whereabouts {
  readonly #place = new Deferred<Place>();
  /** Where it is once the disk is not late any more. */
  readonly #later = new Deferred<Place>();

  get place(): Promise<Place> {
    return this.#place.promise;
  }

  /** Its answers, for good; what memory cannot stand for waits for a disk that is late. */
  stayInMemory({ kind, reason, isLate }: RootMemory): void {
    this.#place.resolve({ kind, reason, ...(isLate && { later: this.#later.promise }) });
  }

  settle(place: Place): void {
    this.#place.resolve(place);
    this.#later.resolve(place);
  }
}
