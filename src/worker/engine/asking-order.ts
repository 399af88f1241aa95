import { LIMITS } from '../../shared/limits.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import { pageSetHeaders } from '../../shared/header.ts';
import { Deferred } from '../platform/waiting.ts';

/**
 * The reads and writes that are on their way, by when they were asked for. An answer is as old as its request: one that
 * was asked for before another, or before a write to the same URL finished, may show an earlier state, whenever it comes.
 * And a write that is repeated after a newer one would undo that. Nothing is remembered of what has ended.
 */
export class AskingOrder {
  readonly #reads = new Map<string, Set<Read>>();
  readonly #writes = new Map<string, Set<Write>>();
  #asked = 0;

  /**
   * A read begins; `url` is what it asks without a loop's own additions. What the server holds, no write bars: it is
   * answered because of the write, and what is newer still is the answer to the next. `end` it in any case.
   */
  begin(invocation: Invocation, url: string, held: boolean): Read {
    const reads = this.#reads.get(url) ?? new Set();
    this.#reads.set(url, reads);
    const read: Read = new Read(keyOf(invocation), {
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

  /** A request begins that may change what this URL shows. `end` it in any case. */
  beginWrite(url: string): Write {
    const writes = this.#writes.get(url) ?? new Set();
    this.#writes.set(url, writes);
    const write = new Write(writes, () => {
      if (writes.size === 0 && this.#writes.get(url) === writes) this.#writes.delete(url);
      for (const read of this.#reads.get(url) ?? []) read.bar();
    });
    writes.add(write);
    return write;
  }

  /** Writes on their way. */
  get writes(): number {
    return [...this.#writes.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Reads on their way. */
  get size(): number {
    return [...this.#reads.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

interface ReadPorts {
  /** The number of a request that goes out now: later ones have higher numbers. */
  readonly ask: () => number;
  /** The other reads of the URL. */
  readonly others: () => readonly Read[];
  /** Whether the server holds it until there is news. */
  readonly held: boolean;
  readonly end: () => void;
}

/** One read, from its first request until its answer is told. */
export class Read {
  readonly #key: string;
  readonly #ports: ReadPorts;
  #asked = 0;
  #isBarred = false;
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

  /** Its request goes out, or, where the server holds it, its answer comes: that counts from now on. */
  ask(): void {
    this.#asked = this.#ports.ask();
    this.#isBarred = false;
    this.#isOutrun = false;
    this.#outrunBy = null;
  }

  /** The read that was asked for later and whose answer was taken, where that stands for this one's; null for none. */
  get outrunBy(): Read | null {
    return this.#outrunBy;
  }

  /** Whether its answer, taken or not, is not to be told: one that was asked for later, or a write, has come before it. */
  get isOvertaken(): boolean {
    return this.#isOutrun || (this.#isBarred && this.#drops < LIMITS.droppedAnswers);
  }

  /** Whether its answer is to be taken; where it is, those that were asked for before are not. */
  take(): boolean {
    if (this.isOvertaken) return false;
    for (const other of this.#ports.others()) other.#yieldTo(this);
    return true;
  }

  /** Its answer is dropped. */
  drop(): void {
    this.#drops += 1;
  }

  /** A write to its URL has finished: what was taken by then is from before it as well. */
  bar(): void {
    if (this.#ports.held) return;
    this.#isBarred = true;
    this.#outrunBy = null;
  }

  /** Its answer was taken. */
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
  /** Those to the same URL that are on their way, oldest first. */
  readonly #writes: Set<Write>;
  readonly #onEnd: () => void;
  #isOutdone = false;
  #isLost = false;
  readonly #ended = new Deferred();

  constructor(writes: Set<Write>, onEnd: () => void) {
    this.#writes = writes;
    this.#onEnd = onEnd;
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** True once a newer write may be done: repeating this one would undo it. */
  get isOutdone(): boolean {
    return this.#isOutdone;
  }

  /** Whether it may be repeated; resolves once the newer ones on their way have ended, or one of them is done. */
  async mayBeRepeated(): Promise<boolean> {
    while (!this.#isOutdone) {
      const all = [...this.#writes];
      const newer = all.slice(all.indexOf(this) + 1);
      if (newer.length === 0) return true;
      await Promise.race(newer.map(({ ended }) => ended));
    }
    return false;
  }

  /** An answer to it was lost: it may be done, even where the server refuses its repetition. */
  lose(): void {
    this.#isLost = true;
  }

  /** `isDone` where its server may have done it. */
  end(isDone: boolean): void {
    if (isDone || this.#isLost) this.#outdoOlder();
    this.#writes.delete(this);
    this.#ended.resolve();
    this.#onEnd();
  }

  #outdoOlder(): void {
    for (const write of this.#writes) {
      if (write === this) return;
      write.#isOutdone = true;
    }
  }
}

/**
 * Whether a request may change what its URL shows. What a loop asks again and again is a question, whatever its method:
 * a search by POST changes nothing. `page` is the one whose call it is; null for a loop.
 */
export function isWrite({ method }: Invocation, page: string | null): boolean {
  return page !== null && !isSafe(method);
}

/** Reads of one URL that have this in common ask for the same. */
function keyOf({ method, headers, policy }: Invocation): string {
  return JSON.stringify([method, policy.credentials, policy.transform ?? [], pageSetHeaders(headers)]);
}
