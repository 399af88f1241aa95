/** Orders of lists that are kept: each takes four bytes a row. */
const MOST = 16;

/** The orders in which lists are looked at, so that who scrolls through one does not have it made anew. */
export class Orders {
  /** In the order of their last use. */
  readonly #orders = new Map<string, Promise<Uint32Array>>();

  /** Rejects as `make` does, and then does not keep it. */
  get(key: string, make: () => Promise<Uint32Array>): Promise<Uint32Array> {
    const order = this.#orders.get(key) ?? this.#made(key, make);
    this.#orders.delete(key);
    this.#orders.set(key, order);
    const [oldest] = this.#orders.keys();
    if (this.#orders.size > MOST && oldest !== undefined) this.#orders.delete(oldest);
    return order;
  }

  delete(key: string): void {
    this.#orders.delete(key);
  }

  #made(key: string, make: () => Promise<Uint32Array>): Promise<Uint32Array> {
    const order = make();
    order.catch(() => this.delete(key));
    return order;
  }
}
