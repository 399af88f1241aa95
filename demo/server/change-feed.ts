import type { PGlite } from '@electric-sql/pglite';

/** Hears the database's own NOTIFY, so that a change of a user's photos wakes that user's held requests, whoever made it. */
export class ChangeFeed {
  readonly #waiting = new Set<(cursor: number) => void>();
  #cursor: number;
  #silence: () => Promise<unknown> = () => Promise.resolve();

  private constructor(cursor: number) {
    this.#cursor = cursor;
  }

  /** Follows the log of one user from that cursor on. */
  static async open(sql: PGlite, owner: string, cursor: number): Promise<ChangeFeed> {
    const feed = new ChangeFeed(cursor);
    feed.#silence = await sql.listen('photo_changes', (told) => {
      const [name, number] = told.split(' ');
      if (name === owner) feed.#hear(Number(number));
    });
    return feed;
  }

  /** The number of the last change heard of. */
  get cursor(): number {
    return this.#cursor;
  }

  /** How many requests are held. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves with the cursor as soon as it is another than `since`; with null after `limit` milliseconds or when
   * aborted. A cursor ahead of ours is of another log and counts as another, too.
   */
  next(since: number, limit: number, signal: AbortSignal): Promise<number | null> {
    if (this.#cursor !== since) return Promise.resolve(this.#cursor);
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (cursor: number | null): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(settle);
        resolve(cursor);
      };
      const giveUp = (): void => settle(null);
      const timer = setTimeout(giveUp, limit);
      signal.addEventListener('abort', giveUp);
      this.#waiting.add(settle);
    });
  }

  async close(): Promise<void> {
    await this.#silence();
  }

  #hear(cursor: number): void {
    this.#cursor = cursor;
    for (const settle of this.#waiting) settle(cursor);
  }
}
