import type { Cursor } from '../../shared/cursor.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { Delivery, LogOffset, SentBody, Ticked } from '../../shared/delivery.ts';
import type { Again, LoopDeclaration } from '../../shared/protocol.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { answered, refused } from '../contracts/outcome.fixture.ts';
import type { MemoryLoops } from '../storage/loops.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import type { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import type { FeedEntry, LoopState, LoopStore } from '../contracts/loop-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { storeIn } from '../contracts/loop-store.fixture.ts';
import { declaration } from '../loops/stage.fixture.ts';

export const CHANGES: Invocation = invocation({ action: 'changes', template: '/changes' });
export const STATE: Invocation = invocation({ action: 'state', template: '/state' });

/** A feed whose answers name the next place as `last`, and whose requests as `since`. */
export function cursor(wish: Partial<Cursor> = {}): Cursor {
  return {
    kind: 'feed',
    from: { kind: 'body', pointer: '/last' },
    plus: 0,
    to: { kind: 'query', name: 'since' },
    initial: '0',
    catchUp: null,
    ...wish,
  };
}

/** A long-poll that follows such a feed. */
export function following(wish: Partial<LoopDeclaration> = {}): LoopDeclaration {
  return declaration({ pace: { kind: 'long-poll' }, invocation: CHANGES, cursor: cursor(), ...wish });
}

export function said(value: unknown, status = 200, wish: Partial<Answered> = {}): Answered {
  return answered({ answer: { status, headers: [], body: { kind: 'value', value } }, ...wish });
}

export function valueOf(outcome: Outcome<SentBody>): unknown {
  return outcome.answer?.body.kind === 'value' ? outcome.answer.body.value : null;
}

/** What one life of the worker sees of the storage: when it is killed, whatever was not done is never done. */
export class LifeStore implements LoopStore {
  readonly #store: LoopStore;
  readonly #isAlive: () => boolean;
  readonly #generation: () => number;

  constructor(store: MemoryLoops, isAlive: () => boolean, generation: () => number) {
    this.#store = storeIn(store);
    this.#isAlive = isAlive;
    this.#generation = generation;
  }

  find(key: string): Promise<Lookup<LoopState>> {
    return this.#do(() => this.#store.find(key));
  }

  save(record: LoopState, own: number | null): Promise<void> {
    return this.#write(own, () => this.#store.save(record, own));
  }

  append(record: LoopState, entry: FeedEntry, own: number | null): Promise<number> {
    return this.#write(own, () => this.#store.append(record, entry, own));
  }

  entries(key: string, after: number, limit: number): Promise<Lookup<readonly FeedEntry[]>> {
    return this.#do(() => this.#store.entries(key, after, limit));
  }

  prune(key: string, upTo: number, patience: number, own: number | null): Promise<void> {
    return this.#write(own, () => this.#store.prune(key, upTo, patience, own));
  }

  #write<T>(own: number | null, work: () => Promise<T>): Promise<T> {
    return this.#do(() => {
      const stored = this.#generation();
      if (own !== null && own !== stored) throw new StaleGeneration(own, stored);
      return work();
    });
  }

  /** A transaction takes its time before it is done, and so does the news of it. */
  async #do<T>(work: () => Promise<T>): Promise<T> {
    await turns(3);
    if (!this.#isAlive()) return new Promise(() => {});
    const result = await work();
    await turns(3);
    return this.#isAlive() ? result : new Promise(() => {});
  }
}

/** So many turns of the microtask queue. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

/** Numbered changes, told a few at a time from a place on; whoever has them all is held. */
export class Changes {
  readonly #clock: VirtualClock;
  last = 1;
  /** Places before this one are refused, but for 0, which stands for the oldest that there is. */
  oldest = 0;
  /** So many requests from now on fail. */
  failing = 0;
  atOnce = 3;
  asked = 0;
  #news = new AbortController();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  make(count: number): void {
    this.last += count;
    this.#news.abort();
    this.#news = new AbortController();
  }

  async answer(since: number, signal: AbortSignal): Promise<Outcome> {
    const place = since === 0 ? this.oldest : since;
    this.asked += 1;
    if (this.failing > 0) {
      this.failing -= 1;
      return refused(503);
    }
    if (place < this.oldest) return refused(410);
    if (place >= this.last) await this.#clock.sleep(25_000, AbortSignal.any([signal, this.#news.signal]));
    if (place >= this.last) return said(null, 204);
    const to = Math.min(this.last, place + this.atOnce);
    return said({ from: place + 1, last: to });
  }

  async state(): Promise<Outcome> {
    this.asked += 1;
    await turns(4);
    if (this.failing > 0) {
      this.failing -= 1;
      return refused(503);
    }
    return said({ last: this.last });
  }
}

/** One page as its session keeps count: it knows what it has heard, and says so when it declares its loop again. */
export class Follower {
  readonly name: string;
  readonly #hasCatchUp: boolean;
  /** What it has heard: `from-to` of an answer, `=last` of a state, `reset`, or how the tick failed. */
  readonly heard: string[] = [];
  readonly faults: string[] = [];
  /** The change that it has to hear next; null where that may be any. */
  next: number | null = null;
  position: LogOffset | null = null;
  #hasHeard = false;
  #isCovered = false;

  constructor(name: string, hasCatchUp: boolean) {
    this.name = name;
    this.#hasCatchUp = hasCatchUp;
  }

  get again(): Again | null {
    return this.#hasHeard ? { revision: null, overdueBy: 0 } : null;
  }

  hear(delivery: Delivery): void {
    if (delivery.kind === 'reset') this.#reset();
    if (delivery.kind === 'joined') this.#join(delivery.position);
    if (delivery.kind === 'tick') this.#tick(delivery);
  }

  /** It begins after this, or after what of it is there no more: that has never been its own, or is lost. */
  #join(position: LogOffset): void {
    const { log, offset } = position;
    const before = this.position;
    if (before && (before.log !== log || before.offset < offset))
      this.#fault(`is followed from ${offset} of ${log} on`);
    this.position ??= position;
  }

  #reset(): void {
    this.heard.push('reset');
    this.position = null;
    this.next = null;
  }

  #tick({ outcome, entry, isCatchUp = false }: Ticked): void {
    this.#hasHeard = true;
    if (outcome.kind === 'failed') return void this.heard.push(outcome.failure.code);
    const value = Object(valueOf(outcome));
    const to = Number(value.last);
    if (isCatchUp) return this.#catchUp(to);
    if (entry) this.#take(entry, Number(value.from), to);
  }

  #catchUp(to: number): void {
    this.heard.push(`=${to}`);
    this.next = to + 1;
    // What follows it may be of another log.
    this.position = null;
    this.#isCovered = true;
  }

  #take({ log, offset }: LogOffset, from: number, to: number): void {
    const before = this.position;
    if (before && before.log === log && offset <= before.offset) return;
    this.heard.push(`${from}-${to}`);
    if (before && (before.log !== log || offset !== before.offset + 1))
      this.#fault(`stands at ${offset} of ${log}`);
    if (this.next === null && this.#hasCatchUp) this.#fault('comes before the state');
    if (this.next !== null && (this.#isCovered ? from > this.next : from !== this.next)) {
      this.#fault(`is not ${this.next}`);
    }
    this.position = { log, offset };
    this.next = to + 1;
    this.#isCovered = false;
  }

  #fault(what: string): void {
    this.faults.push(`${this.name}: after ${this.heard.slice(-4).join(' ')}, the last ${what}`);
  }
}
