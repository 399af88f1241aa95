/** Calls that are to be queued and cannot be handed in yet: the platform may take a while to read what one of a lane sends. */
export class LanesInTurn {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when all calls of that lane are handed in, or given up; undefined where none is still to be. */
  before(lane: string): Promise<void> | undefined {
    return this.#last.get(lane);
  }

  /** The next call of that lane, which resolves when it is handed in. */
  async hold(lane: string, handedIn: Promise<void>): Promise<void> {
    this.#last.set(lane, handedIn);
    await handedIn;
    if (this.#last.get(lane) === handedIn) this.#last.delete(lane);
  }
}
