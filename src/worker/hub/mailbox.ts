import type { Delivered, Delivery } from '../../shared/protocol.ts';

/** Hands a batch to the page; resolves when the page has taken it. */
export type Deliver = (batch: readonly Delivered[]) => Promise<void>;

/**
 * What one page is still to be told, in order. One batch is under way at a time: the page's acknowledgement lets the
 * next one go, so a page that cannot keep up is not flooded, and what has come meanwhile travels together. Each has a
 * place, which it keeps when it is told again.
 */
export class Mailbox {
  readonly #sequence: string;
  readonly #deliver: Deliver;
  #sent = 0;
  #waiting: Entry[] = [];
  #underWay: readonly Entry[] = [];
  #closed = false;
  #hurried = false;

  /** `sequence` names what this mailbox is ever told. */
  constructor(sequence: string, deliver: Deliver) {
    this.#sequence = sequence;
    this.#deliver = deliver;
  }

  /**
   * What is a function is made when it is first told. `newest` names a state of which only the newest counts: one that
   * still waits is replaced. `taken` is called when the page has it.
   */
  put(
    delivery: Delivery | (() => Delivery),
    newest: string | null = null,
    taken: () => void = () => {},
  ): void {
    if (newest !== null) this.#waiting = this.#waiting.filter((entry) => entry.newest !== newest);
    this.#waiting.push({ delivery, newest, taken, n: null });
    // What else settles in this turn of the event loop travels along.
    queueMicrotask(() => this.#next());
  }

  /** The page comes back from the back/forward cache, where messages do not reach it: tells the last batch again. */
  resend(): void {
    this.#waiting = [...this.#underWay, ...this.#waiting];
    this.#underWay = [];
    this.#next();
  }

  /**
   * The last chance: what waits goes now, and what comes goes at once, whether or not the page has taken what went
   * before. Resolves when it has taken what waited.
   */
  async flush(): Promise<void> {
    this.#hurried = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) await this.#send(waiting);
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  #next(): void {
    if (this.#closed) return;
    if (this.#hurried) void this.flush();
    if (this.#underWay.length > 0) return;
    this.#underWay = this.#waiting;
    this.#waiting = [];
    if (this.#underWay.length > 0) void this.#send(this.#underWay);
  }

  async #send(batch: readonly Entry[]): Promise<void> {
    // A page whose listener throws has taken the batch all the same.
    await this.#deliver(batch.map((entry) => this.#place(entry))).catch(() => {});
    for (const { taken } of batch) taken();
    if (this.#underWay !== batch) return;
    this.#underWay = [];
    this.#next();
  }

  #place(entry: Entry): Delivered {
    entry.n ??= this.#sent += 1;
    if (typeof entry.delivery === 'function') entry.delivery = entry.delivery();
    return { ...entry.delivery, place: { sequence: this.#sequence, n: entry.n } };
  }
}

interface Entry {
  delivery: Delivery | (() => Delivery);
  readonly newest: string | null;
  readonly taken: () => void;
  /** Null until it is first told: what is replaced before then leaves no gap. */
  n: number | null;
}
