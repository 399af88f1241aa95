/** One request that reached the fixture server. */
export interface JournalEntry {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly path: string;
  /** Names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds of the epoch. */
  readonly at: number;
  /** `cut`: the connection closed before the whole answer was sent, by whichever side. */
  state: 'open' | 'answered' | 'cut';
}

/** Every request that reached the server, in order: what it was really asked, as against what a page believes. */
export class Journal {
  readonly entries: JournalEntry[] = [];

  /** The requests of one path, whatever their query. */
  of(path: string): JournalEntry[] {
    return this.entries.filter((entry) => entry.path === path);
  }

  /** The requests of one path that still wait for their answer. */
  open(path: string): JournalEntry[] {
    return this.of(path).filter(({ state }) => state === 'open');
  }

  clear(): void {
    this.entries.length = 0;
  }
}
