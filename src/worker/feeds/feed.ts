import type { Failure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { LogOffset } from '../../shared/delivery.ts';
import type { Clock } from '../platform/system.ts';
import type { FeedEntry } from '../contracts/loop-store.ts';
import type { Lookup } from '../contracts/lookup.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import { StartPositions, brought, replayed, after, oldest } from './start-position.ts';
import type { FollowerProgress } from './start-position.ts';
import { Pruning } from './pruning.ts';

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
type Entry = Pick<FeedEntry, 'offset' | 'outcome'>;

/** Where a page says that it is, before it is known what is stored. */
interface PendingFollower {
  readonly offset: LogOffset | null;
  isPaused: boolean;
}

export interface FeedPorts {
  readonly clock: Clock;
  readonly state: DurableState;
}

/** Whom a feed tells. */
export interface Follower {
  /** It is told what comes after this position. */
  join(position: LogOffset): void;
  /** `taken` is called when the page has it. */
  tell(outcome: Outcome, position: LogOffset, taken: () => void): void;
  /** What this page would be told next is there no more, for this reason. */
  gap(failure: Failure): void;
  /** The feed starts afresh for all, for this reason. */
  reset(failure: Failure): void;
}

/**
 * The answers of one feed on their way to the pages that follow it (invariant 7): each gets all of them, in order, at its
 * own pace and from where it is. What all have taken is removed.
 */
export class Feed {
  readonly #ports: FeedPorts;
  readonly #startPositions: StartPositions;
  readonly #progress = new Map<Follower, FollowerProgress>();
  /** Who has come while it was not known what is stored: to them, no place is lost yet. */
  readonly #waiting = new Map<Follower, PendingFollower>();
  readonly #pruning: Pruning;
  /** The newest, while there are pages that it has not been told: they need not read it. */
  #newest: Required<Omit<FeedEntry, 'size'>> | null = null;

  constructor(ports: FeedPorts) {
    this.#ports = ports;
    const graceUntil = ports.clock.now() + GRACE;
    this.#startPositions = new StartPositions(ports, graceUntil);
    this.#pruning = new Pruning(ports, graceUntil, () => this.acknowledgedByAll);
  }

  /** Once it is known what an earlier life of the worker has left. */
  begin(): Promise<void> {
    return this.#startPositions.begin();
  }

  /**
   * A page follows from where it is; one that says nothing of that is new. One that is held is told nothing until it is
   * let go: the state goes first.
   */
  follow(follower: Follower, offset: LogOffset | null, isPaused = false): void {
    const { isKnown, isOutdated } = this.#ports.state;
    if (isKnown && !isOutdated) this.#place(follower, offset, isPaused);
    else this.#waiting.set(follower, { offset, isPaused });
  }

  #place(follower: Follower, position: LogOffset | null, held: boolean): void {
    const { log, last } = this.#ports.state.record;
    const isLost = position !== null && (position.log !== log || position.offset > last);
    const known = isLost ? oldest(log, last, held) : position && after(position.offset, log, held);
    const place = known ?? this.#startPositions.next(held);
    this.#progress.set(follower, place);
    place.isKnown = position !== null && !isLost;
    if (isLost) follower.gap(lost('its log has been removed'));
    this.#goOnWith(follower, place);
    this.#pruning.start();
  }

  leave(follower: Follower): void {
    this.#waiting.delete(follower);
    this.#progress.delete(follower);
    if (this.#progress.size === 0) this.#pruning.rest();
    else this.#pruning.start();
  }

  isPaused(follower: Follower): boolean {
    return !!(this.#progress.get(follower) ?? this.#waiting.get(follower))?.isPaused;
  }

  pause(follower: Follower): void {
    const place = this.#progress.get(follower) ?? this.#waiting.get(follower);
    if (place) place.isPaused = true;
  }

  resume(follower: Follower): void {
    const waiting = this.#waiting.get(follower);
    if (waiting) waiting.isPaused = false;
    const place = this.#progress.get(follower);
    if (!place) return;
    place.isPaused = false;
    this.#goOnWith(follower, place);
  }

  /** An answer has been stored. */
  add(entry: Entry): void {
    this.#newest = { ...entry, receivedAt: this.#ports.clock.now() };
    for (const [follower, place] of this.#progress) void this.#tell(follower, place);
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
    this.#goOn((follower) => follower.gap(lost('another engine has started it afresh')));
    if (this.#waiting.size > 0) void this.#admit();
  }

  /** What is stored could not be read when they came; now it is known. */
  async #admit(): Promise<void> {
    await this.begin();
    for (const [follower, { offset, isPaused }] of this.#waiting) {
      this.#waiting.delete(follower);
      this.#place(follower, offset, isPaused);
    }
  }

  /** Goes on with the log that there is; those who come from another one are told. */
  #goOn(tell: (follower: Follower) => void): void {
    const { log, last } = this.#ports.state.record;
    this.#newest = null;
    for (const [follower, place] of this.#progress) {
      if (place.log !== log) {
        const { sent, acknowledged, isBeginning } = oldest(log, last, place.isPaused);
        Object.assign(place, { log, sent, acknowledged, isBeginning, isKnown: false });
        tell(follower);
      }
      this.#goOnWith(follower, place);
    }
  }

  #goOnWith(follower: Follower, place: FollowerProgress): void {
    void this.#admitTo(follower, place);
    void this.#tell(follower, place);
  }

  /** Tells a page where it begins, as soon as another life of the worker will know what that means. */
  async #admitTo(follower: Follower, place: FollowerProgress): Promise<void> {
    if (place.isPaused || place.isKnown || !(await this.#ports.state.keepLog())) return;
    const { log } = place;
    const offset = await this.#startOf(place);
    // While that cannot be read, it is told with its first answer.
    if (offset === null) return;
    if (place.isPaused || place.isKnown || place.log !== log || log !== this.#ports.state.record.log) return;
    if (this.#progress.get(follower) !== place) return;
    place.isKnown = true;
    follower.join({ log, offset });
  }

  /** After which entry a place is: of a beginning, the last of those that are gone. Null where the log cannot be read. */
  async #startOf({ sent, isBeginning }: FollowerProgress): Promise<number | null> {
    const { state } = this.#ports;
    const { last } = state.record;
    if (!isBeginning || sent >= last) return sent;
    const next = await state.entries(sent, 1);
    if (next.kind === 'absent') return last;
    return next.kind === 'found' ? (next.value[0]?.offset ?? last + 1) - 1 : null;
  }

  /** Tells a page what it has not been told yet, as far as it keeps up. */
  async #tell(follower: Follower, place: FollowerProgress): Promise<void> {
    if (place.isSending) return;
    place.isSending = true;
    let pause = READ_AGAIN;
    while (this.#hasMoreFor(follower, place)) {
      const read = await this.#tellNext(follower, place);
      if (read === 'unknown') await this.#ports.clock.sleep(pause);
      pause = read === 'unknown' ? Math.min(pause * 2, LONGEST_READ_AGAIN) : READ_AGAIN;
    }
    place.isSending = false;
    this.#forgetNewest();
  }

  /** Only a log that was read and has nothing is a loss. */
  async #tellNext(follower: Follower, place: FollowerProgress): Promise<Lookup<unknown>['kind']> {
    const { log, last } = this.#ports.state.record;
    const entries = await this.#after(place);
    if (place.log !== log || this.#ports.state.record.log !== log) return entries.kind;
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

  #hasMoreFor(follower: Follower, { log, sent, acknowledged, isPaused }: FollowerProgress): boolean {
    const { record } = this.#ports.state;
    if (isPaused || log !== record.log || !this.#progress.has(follower)) return false;
    return sent < record.last && sent - acknowledged < WINDOW;
  }

  async #after({ sent, acknowledged }: FollowerProgress): Promise<Lookup<readonly Entry[]>> {
    const newest = this.#newest;
    const { clock, state } = this.#ports;
    if (newest && newest.offset === sent + 1)
      return { kind: 'found', value: [{ offset: newest.offset, outcome: brought(newest, clock.now()) }] };
    const entries = await state.entries(sent, WINDOW - (sent - acknowledged));
    if (entries.kind !== 'found') return entries;
    const value = entries.value.map((entry) => ({
      offset: entry.offset,
      outcome: replayed(entry, clock.now()),
    }));
    return { kind: 'found', value };
  }

  #hand(follower: Follower, place: FollowerProgress, { offset, outcome }: Entry): void {
    // What it has lost has been said once.
    if (place.isPaused) return;
    if (offset > place.sent + 1) this.#pass(follower, place, offset);
    if (offset !== place.sent + 1 || place.isPaused || !this.#progress.has(follower)) return;
    const { log } = place;
    Object.assign(place, { sent: offset, isBeginning: false, isKnown: true });
    follower.tell(outcome, { log, offset }, () => this.#take(follower, place, { log, offset }));
  }

  /** Entry `next` is the next one for a page, since those before it are gone. */
  #pass(follower: Follower, place: FollowerProgress, next: number): void {
    if (!this.#progress.has(follower)) return;
    const hasLost = !place.isBeginning;
    Object.assign(place, { sent: next - 1, acknowledged: next - 1, isBeginning: false, isKnown: false });
    if (hasLost)
      follower.gap(lost(`more than ${LIMITS.feedEntries} answers, or too many bytes of them, came`));
    // One that only begins here was told that it begins before what is gone.
    void this.#admitTo(follower, place);
  }

  /** A page may say so late, of a log that is no more. */
  #take(follower: Follower, place: FollowerProgress, { log, offset }: LogOffset): void {
    if (place.log !== log) return;
    place.acknowledged = Math.max(place.acknowledged, offset);
    void this.#tell(follower, place);
    this.#pruning.start();
  }

  /** It may be large. */
  #forgetNewest(): void {
    const n = this.#newest?.offset ?? 0;
    if ([...this.#progress.values()].every(({ sent }) => sent >= n)) this.#newest = null;
  }

  /** The number of the last entry that all have. Where nobody follows, what is left is for the next who do. */
  get acknowledgedByAll(): number {
    // Where those are who have come since the log could not be read, nobody knows yet.
    if (this.#waiting.size > 0) return 0;
    const { log } = this.#ports.state.record;
    const taken = [...this.#progress.values()].map((place) => (place.log === log ? place.acknowledged : 0));
    return taken.length > 0 ? Math.min(...taken) : 0;
  }
}

function lost(why: string): Failure {
  const message = `Answers of the feed are lost to this page, which was away for too long: ${why}`;
  return { code: 'limit', message, limit: 'feedEntries', value: LIMITS.feedEntries };
}
