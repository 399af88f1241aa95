import type { Header } from '../../shared/header.ts';
import type { SentRequest } from '../../shared/outcome.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import type { Limit, Watch } from '../exchange/exchange.ts';
import { Deferred } from '../platform/waiting.ts';
import { failed } from './failures.ts';
import type { Read } from './asking-order.ts';
import type { Sent } from './request-context.ts';

/** One call's part in a shared exchange. */
export interface Caller {
  /** The page whose call it is. */
  readonly page: string | null;
  readonly limit: Limit;
  readonly watch: Watch;
  /** The request that is sent for it. */
  readonly request: SentRequest;
}

/** The exchanges under way that calls of any page may join, by the origin that they ask. */
export class SharedExchanges {
  readonly #byOrigin = new Map<string, Map<string, SharedExchange>>();
  readonly #now: () => number;

  /** `now` is in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The outcome of the equal exchange under way, else of the one that `run` makes. Calls with the same `key` ask for the
   * same. A call whose limit is reached leaves, and the exchange ends when all have left.
   */
  join(
    origin: string,
    key: string,
    caller: Caller,
    run: (exchange: SharedExchange) => Promise<ReadOutcome>,
  ): Promise<ReadOutcome> {
    const open = this.#byOrigin.get(origin)?.get(key);
    if (open?.isJoinableBy(caller)) return open.join(caller);
    const exchange = new SharedExchange(this.#now, caller.page);
    const outcome = exchange.join(caller);
    this.#add(origin, key, exchange);
    void exchange.run(run).finally(() => this.#remove(origin, key, exchange));
    return outcome;
  }

  /**
   * A write to this origin has ended. An exchange that was asked for before that may not show it, so nobody joins it any
   * more: an app that awaits its write and then reads sees what it wrote, whatever the URL.
   */
  close(origin: string): void {
    this.#byOrigin.delete(origin);
  }

  /** How many may be joined. */
  get size(): number {
    return [...this.#byOrigin.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #add(origin: string, key: string, exchange: SharedExchange): void {
    const exchanges = this.#byOrigin.get(origin) ?? new Map<string, SharedExchange>();
    this.#byOrigin.set(origin, exchanges.set(key, exchange));
  }

  #remove(origin: string, key: string, exchange: SharedExchange): void {
    const exchanges = this.#byOrigin.get(origin);
    if (exchanges?.get(key) === exchange) exchanges.delete(key);
    if (exchanges?.size === 0) this.#byOrigin.delete(origin);
  }
}

interface Part extends Omit<Caller, 'page'> {
  readonly outcome: Deferred<ReadOutcome>;
}

/** One exchange for all calls that asked for the same meanwhile: each hears of it as if it were its own. */
export class SharedExchange {
  readonly #parts = new Set<Part>();
  readonly #left = new AbortController();
  readonly #now: () => number;
  readonly #owner: string | null;
  /** True while the request waits for its owner's turn. */
  #isQueued = false;
  #read: Read | null = null;
  /** Whether a request has gone out. */
  readonly sent: Sent = { at: null };
  /** True once its request has got no answer. What is stored may still be looked up in its place. */
  #isUnanswered = false;
  #isOver = false;
  #headers: readonly [status: number, headers: readonly Header[]] | null = null;
  /** Until when the server is not asked again; 0 for no wait. */
  #waitsUntil = 0;

  /** `owner`: the page in whose turn the request goes out. */
  constructor(now: () => number, owner: string | null) {
    this.#now = now;
    this.#owner = owner;
  }

  /** Aborts when the last call has left. */
  get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** Milliseconds until the last of its calls gives up. */
  get remaining(): number {
    return Math.max(0, ...[...this.#parts].map(({ limit }) => limit.remaining));
  }

  /**
   * False if it is over, all have left, its server has not answered, or its answer is from before a write or a newer answer; and for
   * another page while it waits for its owner's turn: a page with much under way holds up no other.
   */
  isJoinableBy({ page }: Caller): boolean {
    if (this.#isQueued && page !== this.#owner) return false;
    return !this.#isOver && !this.#isUnanswered && !this.signal.aborted && !this.#read?.isOvertaken;
  }

  /** Its turn among the reads of its URL, which begins when its request goes out. */
  follow(read: Read): Watch {
    this.#read = read;
    return this.#watch(read);
  }

  /** Its server has not answered. Whoever calls from now on may find another network. */
  endUnanswered(): void {
    this.#isUnanswered = true;
  }

  /** Never rejects, and settles at the latest when the caller's limit is reached. */
  async join({ limit, watch, request }: Caller): Promise<ReadOutcome> {
    const part: Part = { limit, watch, request, outcome: new Deferred<ReadOutcome>() };
    this.#parts.add(part);
    this.#catchUp(watch);
    const outcome = await limit.within<ReadOutcome | null>(part.outcome.promise, () => null);
    this.#parts.delete(part);
    if (this.#parts.size === 0) this.#left.abort();
    if (outcome) return outcome;
    // The server has not answered in its time, which says something of the server.
    const isSent = this.sent.at !== null;
    if (isSent) watch.asking?.();
    return failed(limit.failure ?? ENDED, isSent ? request : null);
  }

  /** Never rejects. */
  async run(work: (exchange: SharedExchange) => Promise<ReadOutcome>): Promise<void> {
    const outcome = await work(this);
    this.#isOver = true;
    const [last, ...others] = [...this.#parts].toReversed();
    // Before any of them is handed over.
    for (const part of others) part.outcome.resolve(copyOf(outcome));
    last?.outcome.resolve(outcome);
  }

  /** Who comes later hears what has happened so far. */
  #catchUp(watch: Watch): void {
    const wait = this.#waitsUntil - this.#now();
    if (wait > 0) watch.waiting?.(wait);
    if (this.#headers) watch.sent?.(...this.#headers);
  }

  #watch(read: Read): Watch {
    const watches = (): Watch[] => [...this.#parts].map(({ watch }) => watch);
    return {
      queued: () => {
        this.#isQueued = true;
      },
      asking: () => {
        this.#isQueued = false;
        this.sent.at = this.#now();
        this.#headers = null;
        read.ask();
      },
      waiting: (milliseconds) => {
        this.#waitsUntil = this.#now() + milliseconds;
        for (const watch of watches()) watch.waiting?.(milliseconds);
      },
      sent: (status, headers) => {
        this.#headers = [status, headers];
        for (const watch of watches()) watch.sent?.(status, headers);
      },
      progress: (progress) => {
        for (const watch of watches()) watch.progress?.(progress);
      },
    };
  }
}

const ENDED = { code: 'aborted', message: 'The call has ended' } as const;

/** The bytes of each page are its own, since they are transferred to it. What is text is made for each page anew. */
function copyOf(outcome: ReadOutcome): ReadOutcome {
  if (outcome.kind === 'failed' || outcome.answer.body.kind !== 'bytes') return outcome;
  const { body } = outcome.answer;
  return { ...outcome, answer: { ...outcome.answer, body: { ...body, bytes: body.bytes.slice(0) } } };
}
