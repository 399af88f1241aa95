import type { Failure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { FeedPosition } from '../../shared/protocol.ts';
import type { Clock } from '../system.ts';
import type { FeedEntry } from '../loop-record.ts';
import type { Lookup } from '../lookup.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Memory } from './memory.ts';
import { Newcomers } from './newcomers.ts';
import { after, oldest } from './place.ts';
import type { Place } from './place.ts';
import { Pruning } from './pruning.ts';
import { brought, replayed } from './replay.ts';

/** Answers that may be on their way to a page before it has taken the first of them. */
const WINDOW = 32;

/**
 * Milliseconds from a loop's start in which nothing is let go: the pages that followed it before the worker's death, or
 * the browser's, are given so long to come back and say where they are.
 */
const GRACE = 15_000;

/** Milliseconds after which a log that could not be read is read again: twice as long each time, up to the longest. */
const READ_AGAIN = 500;
const LONGEST_READ_AGAIN = 30_000;

/** An answer as it is told: what it counts for in the log is the store's business. */
type Entry = Pick<FeedEntry, 'n' | 'outcome'>;

/** Where a page says that it is, before it is known what is stored. */
interface Waiting {
  readonly position: FeedPosition | null;
  held: boolean;
}

export interface FeedPorts {
  readonly clock: Clock;
  readonly memory: Memory;
}

/** Whom a feed tells. */
export interface Follower {
  /** It is told what comes after this position. */
  join(position: FeedPosition): void;
  /** `taken` is called when the page has it. */
  tell(outcome: Outcome, position: FeedPosition, taken: () => void): void;
  /** What this page would be told next is there no more, for this reason. */
  lose(failure: Failure): void;
  /** The feed starts afresh for all, for this reason. */
  reset(failure: Failure): void;
}

/**
 * The answers of one feed on their way to the pages that follow it (invariant 7): each gets all of them, in order, at its
 * own pace and from where it is. What all have taken is removed.
 */
export class Feed {
  readonly #ports: FeedPorts;
  readonly #newcomers: Newcomers;
  readonly #places = new Map<Follower, Place>();
  /** Who has come while it was not known what is stored: to them, no place is lost yet. */
  readonly #waiting = new Map<Follower, Waiting>();
  readonly #pruning: Pruning;
  /** The newest, while there are pages that it has not been told: they need not read it. */
  #newest: Required<Omit<FeedEntry, 'size'>> | null = null;

  constructor(ports: FeedPorts) {
    this.#ports = ports;
    const graceUntil = ports.clock.now() + GRACE;
    this.#newcomers = new Newcomers(ports, graceUntil);
    this.#pruning = new Pruning(ports, graceUntil, () => this.takenByAll);
  }

  /** Once it is known what an earlier life of the worker has left. */
  begin(): Promise<void> {
    return this.#newcomers.begin();
  }

  /**
   * A page follows from where it is; one that says nothing of that is new. One that is held is told nothing until it is
   * let go: the state goes first.
   */
  follow(follower: Follower, position: FeedPosition | null, held = false): void {
    if (this.#ports.memory.isKnown) this.#place(follower, position, held);
    else this.#waiting.set(follower, { position, held });
  }

  #place(follower: Follower, position: FeedPosition | null, held: boolean): void {
    const { log, last } = this.#ports.memory.record;
    const isLost = position !== null && (position.log !== log || position.n > last);
    const known = isLost ? oldest(log, last, held) : position && after(position.n, log, held);
    const place = known ?? this.#newcomers.place(held);
    this.#places.set(follower, place);
    place.isKnown = position !== null && !isLost;
    if (isLost) follower.lose(lost('its log has been removed'));
    this.#goOnWith(follower, place);
    this.#pruning.start();
  }

  leave(follower: Follower): void {
    this.#waiting.delete(follower);
    this.#places.delete(follower);
    if (this.#places.size === 0) this.#pruning.rest();
    else this.#pruning.start();
  }

  /** Whether a page that says that it is there has taken what comes next: it has not heard it then. */
  isAhead(follower: Follower, { log, n }: FeedPosition): boolean {
    const place = this.#places.get(follower);
    return place?.log === log && place.taken > n;
  }

  isHeld(follower: Follower): boolean {
    return !!(this.#places.get(follower) ?? this.#waiting.get(follower))?.held;
  }

  hold(follower: Follower): void {
    const place = this.#places.get(follower) ?? this.#waiting.get(follower);
    if (place) place.held = true;
  }

  letGo(follower: Follower): void {
    const waiting = this.#waiting.get(follower);
    if (waiting) waiting.held = false;
    const place = this.#places.get(follower);
    if (!place) return;
    place.held = false;
    this.#goOnWith(follower, place);
  }

  /** An answer has been stored. */
  add(entry: Entry): void {
    this.#newest = { ...entry, receivedAt: this.#ports.clock.now() };
    for (const [follower, place] of this.#places) void this.#tell(follower, place);
    this.#forgetNewest();
  }

  /** The log has been given up: what comes from here on has numbers of its own. */
  startAfresh(failure: Failure): void {
    this.#goOn((follower) => follower.reset(failure));
  }

  /** All are told a state that stands for the answers so far, on which another log follows. */
  catchUp(): void {
    this.#goOn(() => {});
  }

  /** The log may be longer than it was, or another: an earlier term of this engine's, or another's, has added to it. */
  renew(): void {
    this.#goOn((follower) => follower.lose(lost('another engine has started it afresh')));
    if (this.#waiting.size > 0) void this.#admit();
  }

  /** What is stored could not be read when they came; now it is known. */
  async #admit(): Promise<void> {
    await this.begin();
    for (const [follower, { position, held }] of this.#waiting) {
      this.#waiting.delete(follower);
      this.#place(follower, position, held);
    }
  }

  /** Goes on with the log that there is; those who come from another one are told. */
  #goOn(tell: (follower: Follower) => void): void {
    const { log, last } = this.#ports.memory.record;
    this.#newest = null;
    for (const [follower, place] of this.#places) {
      if (place.log !== log) {
        const { told, taken, isBeginning } = oldest(log, last, place.held);
        Object.assign(place, { log, told, taken, isBeginning, isKnown: false });
        tell(follower);
      }
      this.#goOnWith(follower, place);
    }
  }

  #goOnWith(follower: Follower, place: Place): void {
    void this.#admitTo(follower, place);
    void this.#tell(follower, place);
  }

  /** Tells a page where it begins, as soon as another life of the worker will know what that means. */
  async #admitTo(follower: Follower, place: Place): Promise<void> {
    if (place.held || place.isKnown || !(await this.#ports.memory.keepLog())) return;
    const { log } = place;
    const n = await this.#startOf(place);
    if (place.held || place.isKnown || place.log !== log || log !== this.#ports.memory.record.log) return;
    if (this.#places.get(follower) !== place) return;
    place.isKnown = true;
    follower.join({ log, n });
  }

  /** After which entry a place is: of a beginning, the last of those that are gone. */
  async #startOf({ told, isBeginning }: Place): Promise<number> {
    const { memory } = this.#ports;
    const { last } = memory.record;
    if (!isBeginning || told >= last) return told;
    const next = await memory.entries(told, 1);
    if (next.kind === 'absent') return last;
    return next.kind === 'found' ? (next.value[0]?.n ?? last + 1) - 1 : told;
  }

  /** Tells a page what it has not been told yet, as far as it keeps up. */
  async #tell(follower: Follower, place: Place): Promise<void> {
    if (place.isTelling) return;
    place.isTelling = true;
    let pause = READ_AGAIN;
    while (this.#hasMoreFor(follower, place)) {
      const read = await this.#tellNext(follower, place);
      if (read === 'unknown') await this.#ports.clock.sleep(pause);
      pause = read === 'unknown' ? Math.min(pause * 2, LONGEST_READ_AGAIN) : READ_AGAIN;
    }
    place.isTelling = false;
    this.#forgetNewest();
  }

  /** Only a log that was read and has nothing is a loss. */
  async #tellNext(follower: Follower, place: Place): Promise<Lookup<unknown>['kind']> {
    const { log, last } = this.#ports.memory.record;
    const entries = await this.#after(place);
    if (place.log !== log || this.#ports.memory.record.log !== log) return entries.kind;
    switch (entries.kind) {
      case 'found':
        for (const entry of entries.value) this.#hand(follower, place, entry);
        break;
      case 'absent':
        this.#pass(follower, place, last + 1);
        break;
      case 'unknown':
        break;
      default:
        unreachable(entries);
    }
    return entries.kind;
  }

  #hasMoreFor(follower: Follower, { log, told, taken, held }: Place): boolean {
    const { record } = this.#ports.memory;
    if (held || log !== record.log || !this.#places.has(follower)) return false;
    return told < record.last && told - taken < WINDOW;
  }

  async #after({ told, taken }: Place): Promise<Lookup<readonly Entry[]>> {
    const newest = this.#newest;
    const { clock, memory } = this.#ports;
    if (newest && newest.n === told + 1)
      return { kind: 'found', value: [{ n: newest.n, outcome: brought(newest, clock.now()) }] };
    const entries = await memory.entries(told, WINDOW - (told - taken));
    if (entries.kind !== 'found') return entries;
    const value = entries.value.map((entry) => ({ n: entry.n, outcome: replayed(entry, clock.now()) }));
    return { kind: 'found', value };
  }

  #hand(follower: Follower, place: Place, { n, outcome }: Entry): void {
    // What it has lost has been said once.
    if (place.held) return;
    if (n > place.told + 1) this.#pass(follower, place, n);
    if (n !== place.told + 1 || place.held || !this.#places.has(follower)) return;
    const { log } = place;
    Object.assign(place, { told: n, isBeginning: false, isKnown: true });
    follower.tell(outcome, { log, n }, () => this.#take(follower, place, { log, n }));
  }

  /** Entry `next` is the next one for a page, since those before it are gone. */
  #pass(follower: Follower, place: Place, next: number): void {
    if (!this.#places.has(follower)) return;
    const hasLost = !place.isBeginning;
    Object.assign(place, { told: next - 1, taken: next - 1, isBeginning: false, isKnown: false });
    if (hasLost)
      follower.lose(lost(`more than ${LIMITS.feedEntries} answers, or too many bytes of them, came`));
    // One that only begins here was told that it begins before what is gone.
    void this.#admitTo(follower, place);
  }

  /** A page may say so late, of a log that is no more. */
  #take(follower: Follower, place: Place, { log, n }: FeedPosition): void {
    if (place.log !== log) return;
    place.taken = Math.max(place.taken, n);
    void this.#tell(follower, place);
    this.#pruning.start();
  }

  /** It may be large. */
  #forgetNewest(): void {
    const n = this.#newest?.n ?? 0;
    if ([...this.#places.values()].every(({ told }) => told >= n)) this.#newest = null;
  }

  /** The number of the last entry that all have. Where nobody follows, what is left is for the next who do. */
  get takenByAll(): number {
    const { log } = this.#ports.memory.record;
    const taken = [...this.#places.values()].map((place) => (place.log === log ? place.taken : 0));
    return taken.length > 0 ? Math.min(...taken) : 0;
  }
}

function lost(why: string): Failure {
  const message = `Answers of the feed are lost to this page, which was away for too long: ${why}`;
  return { code: 'limit', message, limit: 'feedEntries', value: LIMITS.feedEntries };
}
