/**
 * Names in their order. Those that are stored have places, of which each page hears late, and not in their order; the others are where
 * they were called.
 */
export class Queue {
  #ids: string[] = [];
  readonly #places = new Map<string, number>();

  get ids(): readonly string[] {
    return this.#ids;
  }

  /** One that is known keeps its position, as far as its place allows that. */
  put(id: string, place: number | null): void {
    const before = this.#places.get(id);
    const isKnown = this.#ids.includes(id);
    if (isKnown && (place === null || before === place)) return;
    if (place === null) {
      this.#ids.push(id);
      return;
    }
    this.#places.set(id, place);
    const at = this.#ids.indexOf(id);
    if (at >= 0 && this.#fits(at, place)) return;
    if (at >= 0) this.#ids.splice(at, 1);
    // Behind all with lower places: what was called here meanwhile was called later, as far as is known.
    this.#ids.splice(this.#ids.findLastIndex((each) => this.#placeOf(each) < place) + 1, 0, id);
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

  #fits(at: number, place: number): boolean {
    return this.#ids.every((each, index) => {
      const other = this.#places.get(each);
      return other === undefined || index === at || index < at === other < place;
    });
  }

  /** Infinite for one that is not stored. */
  #placeOf(id: string): number {
    return this.#places.get(id) ?? Infinity;
  }
}
