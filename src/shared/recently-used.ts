/** A map with a limit: the least recently used entries are dropped first. */
export class RecentlyUsed<Key, Value> {
  readonly #limit: number;
  readonly #weigh: (value: Value) => number;
  readonly #dropped: (key: Key) => void;
  /** In the order of their last use. */
  readonly #entries = new Map<Key, Weighed<Value>>();
  #weight = 0;

  /**
   * `limit` counts entries, or the sum of what `weigh` returns for them, for instance bytes. `dropped` hears of each that
   * had to make room.
   */
  constructor(
    limit: number,
    weigh: (value: Value) => number = () => 1,
    dropped: (key: Key) => void = () => {},
  ) {
    this.#limit = limit;
    this.#weigh = weigh;
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The weight of all entries. */
  get weight(): number {
    return this.#weight;
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Counts as a use. A value that alone exceeds the limit is not kept; it drops only the old value of its key. */
  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#limit) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#limit) return;
      this.delete(oldest);
      this.#dropped(oldest);
    }
  }

  delete(key: Key): boolean {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  /** The least recently used first. */
  keys(): Key[] {
    return [...this.#entries.keys()];
  }

  /** The least recently used first. */
  values(): Value[] {
    return [...this.#entries.values()].map(({ value }) => value);
  }
}

interface Weighed<Value> {
  readonly value: Value;
  /** The value's weight when it was set. */
  readonly weight: number;
}
