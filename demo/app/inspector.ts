import type { Connection, Inspection } from 'offstage';

/** What is to be seen, or why nothing is. */
export type Sight =
  | { readonly kind: 'seen'; readonly inspection: Inspection }
  | { readonly kind: 'unseen'; readonly reason: string };

/** Asks the worker once a second what it is doing, for as long as somebody looks. */
export class Inspector {
  readonly #connection: Connection;
  readonly #isWatched: () => boolean;
  readonly #listeners = new Set<(sight: Sight) => void>();

  constructor(connection: Connection, isWatched: () => boolean) {
    this.#connection = connection;
    this.#isWatched = isWatched;
  }

  subscribe(listener: (sight: Sight) => void): void {
    this.#listeners.add(listener);
  }

  async run(): Promise<never> {
    for (;;) {
      if (document.visibilityState === 'visible' && this.#isWatched()) this.#tell(await this.#look());
      await new Promise((resolve) => {
        setTimeout(resolve, 1_000);
      });
    }
  }

  async #look(): Promise<Sight> {
    try {
      return { kind: 'seen', inspection: await this.#connection.inspect() };
    } catch (error) {
      return { kind: 'unseen', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  #tell(sight: Sight): void {
    for (const listener of this.#listeners) listener(sight);
  }
}
