import { LIMITS } from '../../shared/limits.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import { askingHeaders, pageSetHeaders } from '../../shared/header.ts';
import type { Addition } from '../contracts/engine-request.ts';
import { Deferred } from '../platform/waiting.ts';

/**
 * The reads and writes under way, ordered by when they were asked for. An answer is as old as its request: a read asked
 * for before another read, or before a write to the same URL finished, may show an earlier state, whenever it comes. A
 * write repeated after a newer one would undo that one. Requests that have ended are forgotten.
 */
export class AskingOrder {
  readonly #reads = new Map<string, Set<Read>>();
  readonly #writes = new Map<string, Set<Write>>();
  #asked = 0;

  /**
   * A read begins; `url` is without a loop's own additions. Writes do not bar a held read: it is answered because of
   * the write, and anything newer answers the next request. Call `end` in any case.
   */
  begin(invocation: Invocation, addition: Addition, url: string, held: boolean): Read {
    const reads = this.#reads.get(url) ?? new Set();
    this.#reads.set(url, reads);
    const read: Read = new Read(keyOf(invocation, addition), {
      ask: () => (this.#asked += 1),
      others: () => [...reads].filter((each) => each !== read),
      held,
      end: () => {
        reads.delete(read);
        if (reads.size === 0 && this.#reads.get(url) === reads) this.#reads.delete(url);
      },
    });
    reads.add(read);
    return read;
  }

  /** A request begins that may change what this URL shows. Call `end` in any case. */
  beginWrite(url: string): Write {
    const writes = this.#writes.get(url) ?? new Set();
    this.#writes.set(url, writes);
    const write = new Write(writes, () => {
      if (writes.size === 0 && this.#writes.get(url) === writes) this.#writes.delete(url);
      this.bar(url);
    });
    writes.add(write);
    return write;
  }

  /** What this URL shows has changed: answers to reads that are out may be from before that. */
  bar(url: string): void {
    for (const read of this.#reads.get(url) ?? []) read.bar();
  }

  /** The same for all URLs of which that is true. */
  barAll(isMeant: (url: string) => boolean): void {
    for (const url of this.#reads.keys()) if (isMeant(url)) this.bar(url);
  }

  get writes(): number {
    return [...this.#writes.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Reads under way. */
  get size(): number {
    return [...this.#reads.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

interface ReadPorts {
  /** The number of a request that goes out now: later ones have higher numbers. */
  readonly ask: () => number;
  readonly others: () => readonly Read[];
  /** True if the server holds it until there is news. */
  readonly held: boolean;
  readonly end: () => void;
}

/** One read, from its first request until its answer is told. */
export class Read {
  readonly #key: string;
  readonly #ports: ReadPorts;
  #asked = 0;
  #isBarred = false;
  #isOutdated = false;
  #isOutrun = false;
  #outrunBy: Read | null = null;
  #drops = 0;
  readonly #result = new Deferred<Revision | null>();

  constructor(key: string, ports: ReadPorts) {
    this.#key = key;
    this.#ports = ports;
  }

  /** The revision of its answer; null where that is not stored. */
  get result(): Promise<Revision | null> {
    return this.#result.promise;
  }

  /** Later requests have higher numbers; 0 before the first. */
  get asked(): number {
    return this.#asked;
  }

  /** The read counts from now: its request goes out or, if it is held, its answer comes. */
  ask(): void {
    this.#asked = this.#ports.ask();
    this.#isBarred = false;
    this.#isOutdated = false;
    this.#isOutrun = false;
    this.#outrunBy = null;
  }

  /** The read asked for later whose answer was taken and stands for this one's; null if there is none. */
  get outrunBy(): Read | null {
    return this.#outrunBy;
  }

  /** True if its answer may be from before a write, even if it is told, since its server held it. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /** True if a read of the same that was asked for later has been answered. */
  get isOutrun(): boolean {
    return this.#isOutrun;
  }

  /** True if its answer, taken or not, must not be told: a read asked for later, or a write, came before it. */
  get isOvertaken(): boolean {
    return this.#isOutrun || (this.#isBarred && this.#drops < LIMITS.droppedAnswers);
  }

  /** False if its answer is overtaken; otherwise the answers of reads asked for before are overtaken now. */
  take(): boolean {
    if (this.isOvertaken) return false;
    for (const other of this.#ports.others()) other.#yieldTo(this);
    return true;
  }

  /** Only answers from before a write are dropped a limited number of times. */
  drop(): void {
    if (this.#isBarred) this.#drops += 1;
  }

  /** A write to its URL has finished, so every answer taken by then is from before it too. */
  bar(): void {
    this.#isOutdated = true;
    if (this.#ports.held) return;
    this.#isBarred = true;
    this.#outrunBy = null;
  }

  taken(revision: Revision | null): void {
    this.#result.resolve(revision);
  }

  end(): void {
    this.#result.resolve(null);
    this.#ports.end();
  }

  #yieldTo(other: Read): void {
    if (other.#key !== this.#key || other.#asked <= this.#asked) return;
    this.#isOutrun = true;
    this.#outrunBy = other;
  }
}

/** One write, from when it was called for until its end. */
export class Write {
  /** The writes to the same URL under way, oldest first. */
  readonly #writes: Set<Write>;
  readonly #onEnd: () => void;
  #isOutdone = false;
  readonly #outdone = new Deferred();
  readonly #ended = new Deferred();

  constructor(writes: Set<Write>, onEnd: () => void) {
    this.#writes = writes;
    this.#onEnd = onEnd;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** True once a newer write may be done: repeating this one would undo it. */
  get isOutdone(): boolean {
    return this.#isOutdone;
  }

  /** True if no newer write is under way, or may be done. */
  get isNewest(): boolean {
    return !this.#isOutdone && this.#newer.length === 0;
  }

  /** True after the wait, once the newer writes under way have ended; false as soon as one of them may be done. */
  async mayBeRepeated(wait: Promise<void>): Promise<boolean> {
    await Promise.race([wait, this.#outdone.promise]);
    while (!this.#isOutdone && !this.isNewest) await Promise.race(this.#newer.map(({ ended }) => ended));
    return !this.#isOutdone;
  }

  get #newer(): readonly Write[] {
    const all = [...this.#writes];
    return all.slice(all.indexOf(this) + 1);
  }

  /** `isDone`: the server may have done it. */
  end(isDone: boolean): void {
    if (isDone) this.#outdoOlder();
    this.#writes.delete(this);
    this.#ended.resolve();
    this.#onEnd();
  }

  #outdoOlder(): void {
    for (const write of this.#writes) {
      if (write === this) return;
      write.#isOutdone = true;
      write.#outdone.resolve();
    }
  }
}

/** True if a request may change its URL's state. Loops only ask, even by POST. `page`: the caller; null for a loop. */
export function isWrite({ method }: Invocation, page: string | null): boolean {
  return page !== null && !isSafe(method);
}

/** Reads of one URL with the same key ask for the same. A feed asks for what comes after a cursor, which is not stored. */
function keyOf({ method, headers, policy }: Invocation, addition: Addition): string {
  const { query, headers: added } = addition;
  const after = policy.cache === 'network-only' && query.length + added.length > 0 ? addition : null;
  const asked = pageSetHeaders(askingHeaders(headers));
  return JSON.stringify([method, policy.credentials, policy.transform ?? [], asked, after]);
}
