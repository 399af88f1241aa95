import { LIMITS } from '../../shared/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { inTime, Deferred } from '../platform/waiting.ts';
import { afterRestart } from '../scheduling/schedule.ts';
import type { System } from '../platform/system.ts';
import type { Loop } from '../scheduling/loop.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import type { Audience, Subscriber } from '../contracts/audience.ts';
import type { Subscribers } from '../states/subscribers.ts';

export interface JoinsPorts extends Pick<System, 'clock' | 'random'> {
  readonly loop: Loop;
  readonly state: DurableState;
  readonly subscribers: Subscribers;
  readonly audience: Audience;
  /** Resolves as soon as this engine acts, or after a moment. */
  readonly acts: () => Promise<void>;
  /** Whether the server holds the loop's requests. */
  readonly isHeld: boolean;
}

/** A page that comes, and how it declares the loop. */
interface Join {
  readonly subscriber: Subscriber;
  readonly declaration: LoopDeclaration;
  /** When it wants the first request. */
  readonly dueAt: number;
  /** When its last request was, as far as it knows. */
  readonly askedAt: number | null;
}

/** How pages come to a loop: the first of them start it, where an earlier life of the worker left off. */
export class Joins {
  readonly #ports: JoinsPorts;
  /** Who has come before it was known what is remembered; null once the loop has begun. */
  #early: Join[] | null = [];
  /** Drawn once: the least of what twenty pages draw would be no spread. */
  readonly #chance: number;
  /** Resolves once the loop has begun. */
  readonly #begun = new Deferred();
  /** Whether it is stored that the network is back; null where nobody has said so since the loop was told of last. */
  #wakeNote: Promise<boolean> | null = null;
  /** Whether the loop has told anything in this life of the worker. */
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

  /**
   * The network is back. Resolves with whether that is stored: should this life end before the loop asks, the next does
   * not go on waiting. However many pages say so, it is stored once.
   */
  async wakeUp(): Promise<boolean> {
    if (!this.#early) this.#ports.loop.wakeUp();
    this.#wakeNote ??= this.#noteWake();
    const isStored = await this.#wakeNote;
    if (!isStored) this.#wakeNote = null;
    return isStored;
  }

  /** Once it is known what an earlier life of the worker has left. */
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
    else this.#resume();
    if (this.#wakeNote) loop.wakeUp();
    this.#begun.resolve();
    for (const { subscriber, declaration } of early) audience.join(subscriber, declaration.position ?? null);
    // A held request tells nothing before there is news, and one that has to wait tells nothing for a while.
    const waits = !isRestart && (isHeld || loop.progress.failures > 0);
    const lacking = early.filter(
      ({ declaration: { again } }) => waits || (isHeld && !again) || again?.behind,
    );
    const caughtUp = lacking.map(({ subscriber, declaration }) =>
      audience.catchUp(subscriber, declaration.again ?? null),
    );
    // What is stored may have to wait for the app's functions: the network does not.
    await inTime(clock, LIMITS.storedFirst, 'What is stored is late', Promise.all(caughtUp)).catch(() => {});
    void loop.run();
  }

  /** The pages that follow the loop are told what came of a request. */
  ticked(): void {
    this.#hasTold = true;
    this.#wakeNote = null;
  }

  /** Only the engine that acts may store it. */
  async #noteWake(): Promise<boolean> {
    const { loop, state, clock, acts } = this.#ports;
    await this.#begun.promise;
    if (!loop.progress.cutOff) return true;
    await acts();
    return state.note({ notBefore: clock.now() + loop.nextIn });
  }

  /** Goes on with the patience of the life before: its death does not make a server any better. */
  #resume(): void {
    const { loop, state, audience } = this.#ports;
    const { failures, notBefore, failure } = state.record;
    if (failures === 0) return;
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
    // What waits because of a failure waits for all.
    const isUnderWay = this.#hasTold || loop.progress.failures > 0;
    if (!isUnderWay) loop.hasten(this.#dueOf(join));
    if (isUnderWay || isHeld || declaration.again?.behind)
      void audience.catchUp(subscriber, declaration.again ?? null);
  }

  /** What an ended worker was late with is spread, however many pages say so. */
  #dueOf({ declaration: { again = null }, dueAt }: Join): number {
    if (!again) return dueAt;
    const { clock, loop } = this.#ports;
    const now = clock.now();
    return Math.max(dueAt, afterRestart(now - again.overdueBy, loop.period, now, this.#chance));
  }
}

/** When an earlier life of the worker has asked last, as the pages say; null where none knows. */
function lastAskedAt(early: readonly Join[]): number | null {
  const known = early.flatMap(({ askedAt }) => askedAt ?? []);
  return known.length > 0 ? Math.max(...known) : null;
}

/** Without a failure, it was told what was stored before. */
function isCutOff(failure: Failure | null): boolean {
  return failure === null || failure.code === 'network' || failure.code === 'offline';
}
