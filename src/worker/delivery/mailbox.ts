import type { Delivered, Delivery } from '../../shared/delivery.ts';
import { isUncloneable } from '../../shared/refusal.ts';
import type { Deliveries } from '../contracts/deliveries.ts';
import { aborted } from '../platform/waiting.ts';
import { isLight } from './light.ts';
import { sendable, isSpent, transferredWith } from './sendable.ts';

/** How a batch reaches the page. */
export interface PageTransport {
  /** Resolves when the page has taken it. */
  readonly deliver: (batch: readonly Delivered[], transferred: readonly ArrayBuffer[]) => Promise<void>;
  /** The page does not say so, which spares it a message; null where it always does. */
  readonly tell: ((batch: readonly Delivered[]) => void) | null;
}

/** Takes news along with something that goes to the page anyway. */
export type Carrier = (batch: readonly Delivered[]) => void;

/** So many chunks are on their way to a page, which takes one after the other: the next is there when one is parsed. */
const MOST_CHUNKS = 8;

/**
 * What one page is still to be told, in order. One batch is under way at a time: the page's acknowledgement lets the
 * next one go, so a page that cannot keep up is not flooded, and what has come meanwhile travels together. Each chunk
 * travels alone, so that it is a task of its own in the page, and the next ones follow it. Each delivery has a place,
 * which it keeps when it is told again.
 */
export class Mailbox {
  readonly #sequence: string;
  readonly #transport: PageTransport;
  #sent = 0;
  #waiting: Entry[] = [];
  /** What went, in order, and the page has not said that it has taken it or what followed it. */
  #underWay: Batch[] = [];
  #closed = false;
  #hurried = false;
  readonly #carriers = new Set<Carrier>();
  /** End the waits for what the page has not acknowledged, which may never come. */
  readonly #waits = new Set<AbortController>();

  /** `sequence` names what this mailbox is ever told. */
  constructor(sequence: string, line: PageTransport) {
    this.#sequence = sequence;
    this.#transport = line;
  }

  /**
   * What is a function is made when it is first told. `newest` names a state of which only the newest counts: one that
   * still waits is replaced. `taken` is called when the page has it, which it then has to say at once; `read` is called
   * when it says so by and by.
   */
  put(
    delivery: Delivery | (() => Deliveries),
    newest: string | null = null,
    taken: (() => void) | null = null,
    read: (() => void) | null = null,
  ): void {
    if (newest !== null) this.#waiting = this.#waiting.filter((entry) => entry.newest !== newest);
    this.#waiting.push({ delivery, newest, taken, read, n: null });
    // What else settles in this turn of the event loop travels along.
    queueMicrotask(() => this.#next());
  }

  /**
   * Has what is told next in few words go by this carrier, once, after those that came before it. The returned function
   * ends that, and says whether it was still to go; null where the page acknowledges all.
   */
  carry(carrier: Carrier): (() => boolean) | null {
    if (!this.#maySkip) return null;
    this.#carriers.add(carrier);
    return () => this.#carriers.delete(carrier);
  }

  /**
   * The page greets, say, since it comes back from the back/forward cache, where messages do not reach it: tells again
   * what it may lack. The calls that are returned were answered with what cannot be told again.
   */
  resend(): number[] {
    // It no longer listens for what it was to be answered before.
    for (const carrier of this.#carriers) carrier([]);
    this.#carriers.clear();
    for (const wait of this.#waits) wait.abort();
    const told = this.#underWay.flatMap(({ entries }) => entries);
    const spent = told.filter(({ delivery }) => typeof delivery !== 'function' && isSpent(delivery));
    this.#waiting = [...told.filter((entry) => !spent.includes(entry)), ...this.#waiting];
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
    const batches: Promise<void>[] = [];
    while (this.#waiting.length > 0) batches.push(this.#deliver(batchOf(this.#nextEntries())));
    await Promise.all(batches);
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  #next(): void {
    if (this.#hurried && !this.#closed) void this.flush();
    while (this.#mayGoOn) this.#send(batchOf(this.#nextEntries()));
  }

  get #mayGoOn(): boolean {
    if (this.#closed || this.#waiting.length === 0) return false;
    const chunks = this.#underWay.filter(({ kind }) => kind === 'chunk');
    return (
      chunks.length < MOST_CHUNKS && this.#underWay.every(({ kind, isTold }) => isTold || kind === 'chunk')
    );
  }

  /** A chunk, or all that waits before the next. */
  #nextEntries(): readonly Entry[] {
    const batch: Entry[] = [];
    for (let entry = this.#waiting.shift(); entry; entry = this.#waiting.shift()) {
      const several = unfold(entry);
      if (several) {
        this.#waiting.unshift(...several);
      } else if (!isChunk(entry)) {
        batch.push(entry);
      } else if (batch.length === 0) {
        return [entry];
      } else {
        this.#waiting.unshift(entry);
        return batch;
      }
    }
    return batch;
  }

  #send(batch: Batch): void {
    const sent: Batch = { ...batch, isTold: this.#mayTell(batch) };
    this.#underWay.push(sent);
    if (sent.isTold) this.#tell(sent);
    else void this.#deliver(sent);
  }

  #mayTell({ entries, kind }: Batch): boolean {
    // What is told again is acknowledged, or else a page that comes back often is told all of its life each time.
    const isToldAgain = entries.some(({ n }) => n !== null);
    return this.#maySkip && !isToldAgain && this.#unanswered < MOST_UNANSWERED[kind];
  }

  /** Whether there is anything that the page need not acknowledge. */
  get #maySkip(): boolean {
    return this.#transport.tell !== null;
  }

  #tell({ entries, kind }: Batch): void {
    const [carrier] = kind === 'light' ? this.#carriers : [];
    if (carrier) this.#carriers.delete(carrier);
    const tell = carrier ?? this.#transport.tell;
    const placed = this.#positioned(entries);
    try {
      tell?.(placed);
    } catch (error) {
      if (!isUncloneable(error)) throw error;
      tell?.(placed.map(sendable));
    }
  }

  /** How much went since what the page is to answer. */
  get #unanswered(): number {
    return this.#underWay.length - 1 - this.#underWay.findLastIndex(({ isTold }) => !isTold);
  }

  async #deliver(batch: Batch): Promise<void> {
    if (!(await this.#isTaken(this.#positioned(batch.entries)))) return;
    for (const { taken } of batch.entries) taken?.();
    // What went before has been taken, too.
    const acknowledged = this.#underWay.splice(0, this.#underWay.indexOf(batch) + 1);
    for (const { read } of [...acknowledged, batch].flatMap(({ entries }) => entries)) read?.();
    if (acknowledged.length > 0) this.#next();
  }

  /** Resolves once the page has taken it; with false when it is to be told again, so that nothing is kept of this time. */
  async #isTaken(batch: readonly Delivered[]): Promise<boolean> {
    const wait = new AbortController();
    const { signal } = wait;
    this.#waits.add(wait);
    const { deliver } = this.#transport;
    const taken = deliver(batch, transferredWith(batch))
      .catch((error: unknown) => (isUncloneable(error) ? deliver(batch.map(sendable), []) : null))
      // A page whose listener throws has taken the batch all the same.
      .catch(() => {});
    await Promise.race([taken, aborted(signal)]);
    this.#waits.delete(wait);
    return !signal.aborted;
  }

  #positioned(batch: readonly Entry[]): Delivered[] {
    return batch.flatMap((entry) => {
      if (typeof entry.delivery === 'function') return [];
      entry.n ??= this.#sent += 1;
      return [{ ...entry.delivery, place: { sequence: this.#sequence, number: entry.n } }];
    });
  }
}

/** What travels in one message. */
interface Batch {
  readonly entries: readonly Entry[];
  /** A chunk is the only one of its batch. */
  readonly kind: 'light' | 'chunk' | 'heavy';
  /** Whether the page need not say that it has taken it. */
  readonly isTold: boolean;
}

/** So many in a row go before the page is to say that it keeps up: each time costs it a message. */
const MOST_UNANSWERED: Readonly<Record<Batch['kind'], number>> = { light: 16, chunk: 3, heavy: 0 };

interface Entry {
  delivery: Delivery | (() => Deliveries);
  readonly newest: string | null;
  /** Null where nobody asks for it. */
  readonly taken: (() => void) | null;
  readonly read: (() => void) | null;
  /** Null until it is first told: what is replaced before then leaves no gap. */
  n: number | null;
}

/** Makes what is to be told; where that is several, returns them: once begun, they give way to nothing newer. */
function unfold(entry: Entry): Entry[] | null {
  if (typeof entry.delivery !== 'function') return null;
  const told = entry.delivery();
  if ('kind' in told) {
    entry.delivery = told;
    return null;
  }
  const { taken, read } = entry;
  const last = told.length - 1;
  return told.map((delivery, index) => ({
    delivery,
    newest: null,
    taken: index === last ? taken : null,
    read: index === last ? read : null,
    n: null,
  }));
}

function batchOf(entries: readonly Entry[]): Batch {
  const kind = entries.every(isChunk) ? 'chunk' : entries.every(isLightEntry) ? 'light' : 'heavy';
  return { entries, kind, isTold: false };
}

/** What somebody waits for until the page has it, the page has to acknowledge. */
function isLightEntry({ delivery, taken }: Entry): boolean {
  return taken === null && typeof delivery !== 'function' && isLight(delivery);
}

function isChunk({ delivery }: Entry): boolean {
  return typeof delivery !== 'function' && delivery.kind === 'chunk';
}
