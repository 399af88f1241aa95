import type { Connection } from 'offstage';
import type { Identity } from './account.ts';

/** Stored answers are one user's: they are removed when that user signs out. */
export class OwnAnswers extends EventTarget implements Identity {
  readonly #connection: Connection;
  identity: string | null = null;

  constructor(connection: Connection) {
    super();
    this.#connection = connection;
  }

  signIn(name: string): Promise<void> {
    this.identity = name;
    return Promise.resolve();
  }

  async signOut(): Promise<void> {
    this.identity = null;
    await this.#connection.cache.clear();
  }
}
