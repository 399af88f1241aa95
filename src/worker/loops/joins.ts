import { LIMITS } from '../../shared/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { inTime, Deferred } from '../platform/waiting.ts';
import { afterRestart } from '../scheduling/back-off.ts';
import type { System } from '../platform/system.ts';
import type { Loop } from '../scheduling/loop.ts';
import type { DurableState, StateFields } from '../scheduling/durable-state.ts';
import type { Audience, Subscriber } from '../contracts/audience.ts';
import type { Subscribers } from '../states/state-audience.ts';

export interface JoinsPorts extends Pick<System, 'clock' | 'random'> {
  readonly loop: Loop;
  readonly state: DurableState;
  readonly subscribers: Subscribers;
  readonly audience: Audience;
  /** Resolves as soon as this engine acts, or after a moment. */
  readonly acts: () => Promise<void>;
  readonly isHeld: boolean;
}

interface Join {
  readonly subscriber: Subscriber;
  readonly declaration: LoopDeclaration;
  /** When the page wants the first request. */
  readonly dueAt: number;
  /** When the loop asked last, as far as the page knows; null where it does not know. */
  readonly askedAt: number | null;
}

/** How pages come to a loop. The first of them start it where an earlier worker instance left off. */
export class Joins {
  readonly #ports: JoinsPorts;
  /** Pages that came before the stored loop state was known; null once the loop has begun. */
  #early: Join[] | null = [];
  /** Drawn once: if each of twenty pages drew, the least of their numbers would be no spread. */
  readonly #chance: number;
  readonly #begun = new Deferred();
  /** Resolves with whether it is stored that the network is back; null where no page said so since the last tick. */
  #wakeNote: Promise<boolean> | null = null;
  /** True once this worker instance has told anything of the loop. */
  #hasTold = false;

  constructor(ports: JoinsPorts) {
    this.#ports = ports;
    this.#chance = ports.random();
  }

  join(subscriber: Subscriber, declaration: LoopDeclaration): void {
    const now = this.#ports.clock.now();
    const { firstIn, askedAgo = null } = declaration;
    const askedAt = askedAgo === null ? null : now - askedAgo;
    const join = { subscriber, declaration, dueAt: now + firstIn, askedAt };
    if (this.#early) this.#early.push(join);
    else this.#admit(join);
  }

  /** The network is back. Resolves with whether that is stored: then the next worker instance does not wait either. */
  async wakeUp(): Promise<boolean> {
    if (!this.#early) this.#ports.loop.wakeUp();
    this.#wakeNote ??= this.#noteWake();
    const isStored = await this.#wakeNote;
    if (!isStored) this.#wakeNote = null;
    return isStored;
  }

  /** Starts the loop. It is known by then what an earlier worker instance has left. */
  async begin(): Promise<void> {
    const { loop, clock, subscribers, audience, isHeld } = this.#ports;
    const early = (this.#early ?? []).filter(({ subscriber }) => subscribers.has(subscriber));
    this.#early = null;
    if (early.length === 0) return this.#begun.resolve();
    const dueAt = Math.min(...early.map((join) => this.#dueOf(join)));
    loop.resumeAfter(lastAskedAt(early));
    if (early.every(({ declaration }) => declaration.again)) loop.postpone(dueAt);
    loop.hasten(dueAt);
    const isRestart = early.some(({ declaration }) => declaration.restart);
    if (isRestart) loop.restart();
    else this.#resume(early);
    if (this.#wakeNote) loop.wakeUp();
    this.#begun.resolve();
    for (const { subscriber, declaration } of early) audience.join(subscriber, declaration.position ?? null);
    // A held request is silent until there is news, and one that has to wait is silent for a while.
    const waits = !isRestart && (isHeld || loop.progress.failures > 0);
    const lacking = early.filter(
      ({ declaration: { again } }) => waits || (isHeld && !again) || again?.behind,
    );
    const caughtUp = lacking.map(({ subscriber, declaration }) =>
      audience.catchUp(subscriber, declaration.again ?? null),
    );
    // Stored answers may have to wait for the app's functions. The request to the server does not wait for them.
    await inTime(clock, LIMITS.storedFirst, 'What is stored is late', Promise.all(caughtUp)).catch(() => {});
    void loop.run();
  }

  /** The pages are told the outcome of a request. */
  ticked(): void {
    this.#hasTold = true;
    this.#wakeNote = null;
  }

  /** Only the engine that acts may store this. */
  async #noteWake(): Promise<boolean> {
    const { loop, state, clock, acts } = this.#ports;
    await this.#begun.promise;
    if (!loop.isCutOff) return true;
    await acts();
    const now = clock.now();
    return state.note({ notBefore: now + loop.nextIn, waitsSince: now });
  }

  /**
   * Keeps the wait of the earlier instance: its death does not make a server any better. A page may know better than the
   * storage what came last: the instance may have died before it was stored.
   */
  #resume(early: readonly Join[]): void {
    const { loop, state, audience, clock } = this.#ports;
    const { failures, failure } = state.record;
    const notBefore = endOfWait(state.record, clock.now());
    const newest = early.filter((join) => failures === 0 || isAskedSince(join, notBefore));
    if (newest.some(saysCutOff)) loop.heedCutOff();
    if (failures === 0 || newest.some(saysAnswered)) return;
    loop.resume(failures, notBefore, isCutOff(failure));
    audience.resume(failure);
  }

  #admit(join: Join): void {
    const { loop, audience, isHeld } = this.#ports;
    const { subscriber, declaration } = join;
    if (declaration.restart) loop.restart();
    audience.join(subscriber, declaration.position ?? null);
    // A held request may stay silent, so a page that has nothing gets the stored answer now.
    if (declaration.restart && !(isHeld && !declaration.again)) return;
    // A loop that waits because of a failure waits for all its pages.
    const isUnderWay = this.#hasTold || loop.progress.failures > 0;
    if (!isUnderWay) {
      loop.hasten(this.#dueOf(join));
      if (saysCutOff(join)) loop.heedCutOff();
    }
    if (isUnderWay || isHeld || declaration.again?.behind)
      void audience.catchUp(subscriber, declaration.again ?? null);
  }

  /** A request that was overdue when the worker ended is spread, with one draw for all pages. */
  #dueOf({ declaration: { again = null }, dueAt }: Join): number {
    if (!again) return dueAt;
    const { clock, loop } = this.#ports;
    const now = clock.now();
    return Math.max(dueAt, afterRestart(now - again.overdueBy, loop.period, now, this.#chance));
  }
}

function saysAnswered({ declaration }: Join): boolean {
  return declaration.again?.last === 'answered';
}

function saysCutOff({ declaration }: Join): boolean {
  return declaration.again?.last === 'cut-off';
}

/** No wait is longer than it was when it began, though the clock was set back since. */
function endOfWait({ notBefore, waitsSince }: StateFields, now: number): number {
  return waitsSince === undefined ? notBefore : Math.min(notBefore, now + notBefore - waitsSince);
}

/** Milliseconds by which a page may be wrong about when a request was due. */
const ABOUT = 100;

/** True if the page speaks of the request that was to follow the stored failure, or of a later one. */
function isAskedSince({ askedAt }: Join, notBefore: number): boolean {
  return askedAt !== null && askedAt >= notBefore - ABOUT;
}

/** When an earlier worker instance asked last, as the pages say; null where no page knows. */
function lastAskedAt(early: readonly Join[]): number | null {
  const known = early.flatMap(({ askedAt }) => askedAt ?? []);
  return known.length > 0 ? Math.max(...known) : null;
}

/** True where the network was gone. No failure means that a stored answer was told instead. */
function isCutOff(failure: Failure | null): boolean {
  return failure === null || failure.code === 'network' || failure.code === 'offline';
}
