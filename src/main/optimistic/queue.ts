/**
 * Names in their order. Those that are stored have places, of which each page hears late, and not in their order; the others are where
 * they were called.
 */
export class Queue {
  #ids: string[] = [];
  /** Null for those that are not stored. */
  readonly #places = new Map<string, number | null>();

  get ids(): readonly string[] {
    return this.#ids;
  }

  /** One that is known keeps its position, as far as its place allows that. */
  put(id: string, place: number | null): void {
    const before = this.#places.get(id);
    const isKnown = before !== undefined;
    if (isKnown && (place === null || before === place)) return;
    this.#places.set(id, place);
    if (place === null) {
      this.#ids.push(id);
      return;
    }
    if (isKnown) {
      const at = this.#ids.lastIndexOf(id);
      if (this.#fits(at, place)) return;
      this.#ids.splice(at, 1);
    }
    // Behind all with lower places: what was called here meanwhile was called later, as far as is known.
    this.#ids.splice(this.#lastBelow(place) + 1, 0, id);
  }

  delete(id: string): void {
    this.#places.delete(id);
    const at = this.#ids.indexOf(id);
    if (at >= 0) this.#ids.splice(at, 1);
  }

  clear(): void {
    this.#ids = [];
    this.#places.clear();
  }

  /** True where none that is stored is on the wrong side of it. */
  #fits(at: number, place: number): boolean {
    const last = this.#lastBelow(place);
    return last < at && this.#ids.slice(last + 1, at).every((each) => this.#placeOf(each) === Infinity);
  }

  #lastBelow(place: number): number {
    return this.#ids.findLastIndex((each) => this.#placeOf(each) < place);
  }

  /** Infinite for one that is not stored. */
  #placeOf(id: string): number {
    return this.#places.get(id) ?? Infinity;
  }
}
