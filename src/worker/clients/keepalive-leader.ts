import { KEEPALIVE_HOLD, LEADER_SILENCE } from '../../shared/deadlines.ts';

/** What came of a page's wish that the worker stays. */
export interface Keepalive {
  /** Resolves when the page is to ask again; until then it need not. */
  readonly answered: Promise<void>;
  /** Resolves when its event need not be held any longer: for all but the leader at once. */
  readonly held: Promise<void>;
}

/**
 * Chooses the one page that keeps the worker alive, visible pages first, by answering only that page: its next message
 * is the next event to hold. The others wait, and cost nothing, until it falls silent.
 */
export class KeepaliveLeader {
  readonly #sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly #retired = new AbortController();
  /** The pages that wait for their answer, in the order in which they asked. */
  readonly #waiting = new Map<string, Waiting>();
  #leader: string | null = null;
  /** Counts the leader's messages, so that a silence can be told from them. */
  #asked = 0;

  constructor(sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>) {
    this.#sleep = sleep;
  }

  /** A page asks the worker to stay. */
  ask(page: string, hidden: boolean): Keepalive {
    const answered = new Promise<void>((answer) => {
      this.#waiting.get(page)?.answer();
      this.#waiting.set(page, { hidden, answer });
    });
    if (this.#leader !== null && this.#leader !== page) return { answered, held: Promise.resolve() };
    this.#leader = page;
    this.#asked += 1;
    return { answered, held: this.#hold() };
  }

  /** A page is shown or hidden: it counts when the leader is next chosen. */
  setHidden(page: string, hidden: boolean): void {
    const waiting = this.#waiting.get(page);
    if (waiting) this.#waiting.set(page, { ...waiting, hidden });
  }

  /** A page is gone. */
  forget(page: string): void {
    this.#waiting.delete(page);
    if (this.#leader === page) this.#choose();
  }

  /** The worker is to be replaced: nobody keeps it any more. Whoever waits is let go, and its event with it. */
  retire(): void {
    this.#asked += 1;
    this.#retired.abort();
    for (const { answer } of this.#waiting.values()) answer();
    this.#waiting.clear();
  }

  async #hold(): Promise<void> {
    const asked = this.#asked;
    await this.#sleep(KEEPALIVE_HOLD, this.#retired.signal);
    if (asked === this.#asked) this.#choose();
  }

  #choose(): void {
    this.#leader = best(this.#waiting, this.#leader);
    if (this.#leader === null) return;
    const chosen = this.#waiting.get(this.#leader);
    this.#waiting.delete(this.#leader);
    chosen?.answer();
    void this.#expect();
  }

  /** A page that does not ask again does not need the worker any more, or is frozen: the next one is asked. */
  async #expect(): Promise<void> {
    const asked = this.#asked;
    await this.#sleep(LEADER_SILENCE);
    if (asked === this.#asked) this.#choose();
  }
}

interface Waiting {
  readonly hidden: boolean;
  readonly answer: () => void;
}

/** A visible page before a hidden one, among equals the one that it is, then the one that asked first. */
function best(waiting: ReadonlyMap<string, Waiting>, leader: string | null): string | null {
  const pages = [...waiting].map(([page, { hidden }]) => ({ page, hidden }));
  const visible = pages.filter(({ hidden }) => !hidden);
  const candidates = visible.length > 0 ? visible : pages;
  return candidates.find(({ page }) => page === leader)?.page ?? candidates[0]?.page ?? null;
}
