import { KEEPALIVE_HOLD, LEADER_SILENCE } from '../../shared/deadlines.ts';

/** The reply to a page that asks the worker to stay. */
export interface Keepalive {
  /** Resolves when the page is to ask again. */
  readonly answered: Promise<void>;
  /** Resolves when the page's event need not be held any longer: at once, except for the leader. */
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
  /** Counts the leader's messages, so that its silence is noticed. */
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

  /** A page is shown or hidden. That counts when the leader is next chosen. */
  setHidden(page: string, hidden: boolean): void {
    const waiting = this.#waiting.get(page);
    if (waiting) this.#waiting.set(page, { ...waiting, hidden });
  }

  forget(page: string): void {
    this.#waiting.delete(page);
    if (this.#leader === page) this.#choose();
  }

  /** The worker is to be replaced, so no page keeps it any more. Pages that wait are let go, and their events too. */
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

  /** A page that does not ask again needs the worker no more, or is frozen: the next page is asked. */
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

/** A visible page before a hidden one; among equals the present leader, then the one that asked first. */
function best(waiting: ReadonlyMap<string, Waiting>, leader: string | null): string | null {
  const pages = [...waiting].map(([page, { hidden }]) => ({ page, hidden }));
  const visible = pages.filter(({ hidden }) => !hidden);
  const candidates = visible.length > 0 ? visible : pages;
  return candidates.find(({ page }) => page === leader)?.page ?? candidates[0]?.page ?? null;
}
