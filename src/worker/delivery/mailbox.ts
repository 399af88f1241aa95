import type { Delivered, Delivery } from '../../shared/delivery.ts';
import { isUncloneable } from '../../shared/guard.ts';
import type { Deliveries } from '../contracts/engine-request.ts';
import { aborted } from '../platform/waiting.ts';
import { isLight, sendable, isSpent, transferredWith } from './turns.ts';

export interface PageTransport {
  /** Resolves when the page has taken it. */
  readonly deliver: (batch: readonly Delivered[], transferred: readonly ArrayBuffer[]) => Promise<void>;
  /** The page does not acknowledge the batch, which saves a message; null where it acknowledges all. */
  readonly tell: ((batch: readonly Delivered[]) => void) | null;
}

/** Takes a batch along with a message that goes to the page anyway. */
export type Carrier = (batch: readonly Delivered[]) => void;

/** Chunks that are on their way to a page at a time: the next one is there when it has parsed one. */
const MOST_CHUNKS = 8;

/**
 * The deliveries that one page is still to be sent, in order. One batch is under way at a time: the page's
 * acknowledgement lets the next one go, so a page that cannot keep up is not flooded, and what has come meanwhile
 * travels together. After sixteen small batches without acknowledgement, one needs it. Each chunk travels alone, so
 * that it is a task of its own in the page, and several may be under way. A delivery sent again keeps its number.
 */
export class Mailbox {
  readonly #sequence: string;
  readonly #transport: PageTransport;
  #sent = 0;
  #waiting: Entry[] = [];
  /** The batches that were sent, in order. The page has acknowledged neither them nor one after them. */
  #underWay: Batch[] = [];
  #closed = false;
  #hurried = false;
  readonly #carriers = new Set<Carrier>();
  /** Each ends a wait for an acknowledgement that may never come. */
  readonly #waits = new Set<AbortController>();

  /** `sequence` names all that this mailbox ever sends. */
  constructor(sequence: string, transport: PageTransport) {
    this.#sequence = sequence;
    this.#transport = transport;
  }

  /**
   * A function makes the delivery when it is first sent. `newest` names a state of which only the newest counts: one
   * that still waits is replaced. `taken` is called when the page has taken it, which the page then has to acknowledge
   * at once; `read` is called with a later acknowledgement.
   */
  put(
    delivery: Delivery | (() => Deliveries),
    newest: string | null = null,
    taken: (() => void) | null = null,
    read: (() => void) | null = null,
  ): void {
    if (newest !== null) this.#waiting = this.#waiting.filter((entry) => entry.newest !== newest);
    this.#waiting.push({ delivery, newest, taken, read, number: null });
    // Deliveries that come in the same turn of the event loop travel together.
    queueMicrotask(() => this.#next());
  }

  /** The sum of what `weigh` says of each delivery that waits. One that is made when it is sent weighs nothing yet. */
  weigh(weigh: (delivery: Deliveries) => number): number {
    return this.#waiting.reduce(
      (sum, { delivery }) => sum + (typeof delivery === 'function' ? 0 : weigh(delivery)),
      0,
    );
  }

  /**
   * Has the next small batch go by this carrier, once, after carriers that came before it. The returned function
   * withdraws the carrier, and says whether it was still unused. Null where the page acknowledges all.
   * `clients/receipts.ts` shows the exchange.
   */
  carry(carrier: Carrier): (() => boolean) | null {
    if (!this.#maySkip) return null;
    this.#carriers.add(carrier);
    return () => this.#carriers.delete(carrier);
  }

  /**
   * Sends again what the page has not acknowledged: it greets after a stay in the back/forward cache, for example,
   * where messages do not reach it. Returns the calls whose answers cannot be sent again.
   */
  resend(): number[] {
    // The page no longer waits for answers from before.
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
   * Sends all that waits now, and from now on everything at once, whether or not the page keeps up: the worker is about
   * to end. Resolves when the page has taken what waited.
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

  /** A chunk, or all that waits before the next chunk. */
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
    // A repeated batch is acknowledged. Otherwise a page that comes back often is sent everything each time.
    const isRepeated = entries.some(({ number }) => number !== null);
    return this.#maySkip && !isRepeated && this.#unanswered < MOST_UNANSWERED[kind];
  }

  /** True where there are batches that the page need not acknowledge. */
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

  /** Batches since the last one that the page is to acknowledge. */
  get #unanswered(): number {
    return this.#underWay.length - 1 - this.#underWay.findLastIndex(({ isTold }) => !isTold);
  }

  async #deliver(batch: Batch): Promise<void> {
    if (!(await this.#isTaken(this.#positioned(batch.entries)))) return;
    for (const { taken } of batch.entries) taken?.();
    // The page has taken what went before as well.
    const acknowledged = this.#underWay.splice(0, this.#underWay.indexOf(batch) + 1);
    for (const { read } of [...acknowledged, batch].flatMap(({ entries }) => entries)) read?.();
    if (acknowledged.length > 0) this.#next();
  }

  /** Resolves with true once the page has taken it, with false when it is to be sent again. */
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
      entry.number ??= this.#sent += 1;
      return [{ ...entry.delivery, place: { sequence: this.#sequence, number: entry.number } }];
    });
  }
}

/** The deliveries of one message. */
interface Batch {
  readonly entries: readonly Entry[];
  /** A chunk is the only one of its batch. */
  readonly kind: 'light' | 'chunk' | 'heavy';
  /** The page need not acknowledge it. */
  readonly isTold: boolean;
}

/** Batches in a row that go without an acknowledgement, which costs the page a message. */
const MOST_UNANSWERED: Readonly<Record<Batch['kind'], number>> = { light: 16, chunk: 3, heavy: 0 };

interface Entry {
  delivery: Delivery | (() => Deliveries);
  readonly newest: string | null;
  /** Null where nobody waits for the page to take it. */
  readonly taken: (() => void) | null;
  readonly read: (() => void) | null;
  /** Null until it is first sent: an entry that is replaced before then leaves no gap. */
  number: number | null;
}

/** Makes the delivery. Returns its parts if it has several: once begun, they give way to nothing newer. */
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
    number: null,
  }));
}

function batchOf(entries: readonly Entry[]): Batch {
  const kind = entries.every(isChunk) ? 'chunk' : entries.every(isLightEntry) ? 'light' : 'heavy';
  return { entries, kind, isTold: false };
}

/** An entry with `taken` is not light: the page has to acknowledge it. */
function isLightEntry({ delivery, taken }: Entry): boolean {
  return taken === null && typeof delivery !== 'function' && isLight(delivery);
}

function isChunk({ delivery }: Entry): boolean {
  return typeof delivery !== 'function' && delivery.kind === 'chunk';
}
