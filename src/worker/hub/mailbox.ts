import { sizeOfPatch } from '../../shared/patch.ts';
import type { Delivered, Delivery, SentBody } from '../../shared/protocol.ts';
import { isSpent, transferredWith } from './transferred.ts';

/** How a batch reaches the page. */
export interface Line {
  /** Resolves when the page has taken it. */
  readonly deliver: (batch: readonly Delivered[], transferred: readonly ArrayBuffer[]) => Promise<void>;
  /** The page does not say so, which spares it a message; null where it always does. */
  readonly tell: ((batch: readonly Delivered[]) => void) | null;
}

/** So many light batches go before the page is to say that it keeps up. */
const MOST_UNANSWERED = 8;

/**
 * What one page is still to be told, in order. One batch is under way at a time: the page's acknowledgement lets the
 * next one go, so a page that cannot keep up is not flooded, and what has come meanwhile travels together. Each has a
 * place, which it keeps when it is told again.
 */
export class Mailbox {
  /** Whether the page watches over the places of what it is told: without, it takes twice what is told again. */
  watched = false;
  readonly #sequence: string;
  readonly #line: Line;
  #sent = 0;
  #waiting: Entry[] = [];
  #underWay: readonly Entry[] = [];
  /** What went since the page last said that it has taken something. */
  #unanswered: (readonly Entry[])[] = [];
  #closed = false;
  #hurried = false;
  /** How many collect what is put. */
  #collectors = 0;

  /** `sequence` names what this mailbox is ever told. */
  constructor(sequence: string, line: Line) {
    this.#sequence = sequence;
    this.#line = line;
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

  /**
   * What is put from now on waits for the function that this returns, which gives it to be told another way if it is
   * light: to the page it has been told then.
   */
  collect(): () => readonly Delivered[] {
    this.#collectors += 1;
    return () => {
      this.#collectors -= 1;
      const collected = this.#mayGo ? this.#takeLight(this.#waiting) : null;
      if (collected) this.#waiting = [];
      this.#next();
      return collected ?? [];
    };
  }

  /**
   * The page comes back from the back/forward cache, where messages do not reach it: tells again what it may lack. The
   * calls that are returned were answered with what cannot be told again.
   */
  resend(): number[] {
    const told = [...this.#unanswered.flat(), ...this.#underWay];
    const spent = told.filter(({ delivery }) => typeof delivery !== 'function' && isSpent(delivery));
    this.#waiting = [...told.filter((entry) => !spent.includes(entry)), ...this.#waiting];
    this.#unanswered = [];
    this.#underWay = [];
    this.#next();
    return spent.flatMap(({ delivery }) => ('id' in delivery ? delivery.id : []));
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
    if (this.#hurried && !this.#closed) void this.flush();
    if (!this.#mayGo) return;
    const batch = this.#waiting;
    this.#waiting = [];
    if (!this.#tell(batch)) {
      this.#underWay = batch;
      void this.#send(batch);
    }
  }

  get #mayGo(): boolean {
    if (this.#closed || this.#collectors > 0) return false;
    return this.#underWay.length === 0 && this.#waiting.length > 0;
  }

  #tell(batch: readonly Entry[]): boolean {
    const placed = this.#takeLight(batch);
    if (placed) this.#line.tell?.(placed);
    return placed !== null;
  }

  /** The batch if it is so light that the page need not say that it has taken it: it counts as told then. */
  #takeLight(batch: readonly Entry[]): readonly Delivered[] | null {
    if (!this.watched || !this.#line.tell || this.#unanswered.length >= MOST_UNANSWERED) return null;
    const placed = batch.map((entry) => this.#place(entry));
    if (!placed.every(isLight)) return null;
    this.#unanswered.push(batch);
    return placed;
  }

  async #send(batch: readonly Entry[]): Promise<void> {
    // A page whose listener throws has taken the batch all the same.
    const placed = batch.map((entry) => this.#place(entry));
    await this.#line.deliver(placed, transferredWith(placed)).catch(() => {});
    this.#unanswered = [];
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

/** Characters of JSON that a page takes in its stride. */
const LIGHT = 8_192;

/** What is told in few words: the next that is told, or a greeting, shows whether the page has missed it. */
function isLight(delivery: Delivery): boolean {
  switch (delivery.kind) {
    case 'tick':
      return !delivery.entry && (delivery.outcome.kind === 'failed' || isSmall(delivery.outcome.answer.body));
    case 'settled':
      return delivery.outcome.kind === 'failed' || isSmall(delivery.outcome.answer.body);
    case 'ticking':
    case 'sent':
    case 'progress':
    case 'origin':
      return true;
    default:
      return false;
  }
}

function isSmall(body: SentBody): boolean {
  if (body.kind === 'unsent') return true;
  if (body.kind === 'json') return body.text.length <= LIGHT;
  if (body.kind !== 'patches') return false;
  return body.patches.reduce((sum, patch) => sum + sizeOfPatch(patch), 0) <= LIGHT;
}
