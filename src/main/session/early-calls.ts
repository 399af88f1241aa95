import { isForAnyEngine, needsNobody } from '../../shared/early.ts';
import type { EarlyAnswer, EarlyEngine, EarlyRequest, EarlyResult } from '../../shared/early.ts';
import { retryAfter } from '../../shared/header.ts';
import { askedOf, isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { mayBeDone } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { traitsOf } from '../../shared/pace.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import type { Host } from '../hosts/host.ts';
import { open } from './answers.ts';
import type { Call, Calls } from './calls.ts';
import { EarlyAnswers } from './early-answers.ts';
import type { PageIdentity } from './identity.ts';
import type { DeclaredLoops } from './loops.ts';

export interface EarlyCallsPorts {
  /** Resolves to null where this is no first visit: then calls wait for the worker. */
  readonly engine: Promise<EarlyEngine | null>;
  readonly calls: Pick<Calls, 'get' | 'settle' | 'takeEarly' | 'putBack'>;
  readonly loops: Pick<DeclaredLoops, 'get' | 'declarations'>;
  /** Where it is not open, somebody is about to sign in, and calls wait. */
  readonly identity: Pick<PageIdentity, 'isOpen' | 'era'>;
  /** The origins for which the app gives credentials. */
  readonly provides: () => readonly string[];
  /** Calls that were put back may be sent. */
  readonly freed: () => void;
  /** Tells the engine. Resolves with true once it need not be told again. */
  readonly adopt: (answers: readonly EarlyAnswer[]) => Promise<boolean>;
  /** The page counts as nobody's from now on, as where a worker says that it knows of nobody. */
  readonly begun: () => void;
}

interface UnderWay extends EarlyRequest {
  readonly isRead: boolean;
}

interface Tick extends EarlyRequest {
  readonly declaration: Omit<LoopDeclaration, 'loop'>;
}

/** Milliseconds: the longest wait before a loop's second request where its first has failed (contracts/rule.ts). */
const QUICK = 2_300;

/**
 * A page's first calls, and the first requests of its polls, while it has no worker: they are sent from the page. What
 * comes of them is kept for the first engine that answers.
 */
export class EarlyCalls {
  readonly #ports: EarlyCallsPorts;
  readonly #underWay = new Map<number, UnderWay>();
  /** The first requests of polls. */
  readonly #ticks = new Map<number, Tick>();
  /** Polls that have been asked for. */
  readonly #ticked = new Set<number>();
  /** The number of the latest request that was answered, by what it asked for. */
  readonly #taken = new Map<string, number>();
  #sent = 0;
  readonly #kept: EarlyAnswers;
  #engine: EarlyEngine | null = null;
  #isGreeted = false;
  #isOver = false;
  #calm: () => void = () => {};
  /** Resolves when nothing is under way: the worker's script may be fetched without being in the way of an answer. */
  readonly calm: Promise<void>;

  constructor(ports: EarlyCallsPorts) {
    this.#ports = ports;
    this.#kept = new EarlyAnswers(ports);
    this.calm = new Promise((resolve) => {
      this.#calm = resolve;
    });
    // Counts from here: the look at what is stored may take for ever.
    setTimeout(this.#calm, LONGEST);
    void this.#begin();
  }

  /** A worker is wanted now. */
  hurry(): void {
    this.#calm();
  }

  /** Sends what may be sent by the page. */
  flush(): void {
    const { calls, identity, provides, begun } = this.#ports;
    const engine = this.#engine;
    if (!engine || !identity.isOpen) return;
    begun();
    const isSuitable = ({ submission: { invocation, ticket } }: Call): boolean =>
      !ticket && isForAnyEngine(invocation) && needsNobody(engine, provides(), invocation);
    for (const call of calls.takeEarly(isSuitable)) void this.#send(engine, call);
  }

  /** A poll is declared: its first request need not wait for a worker. */
  declare({ loop, ...declaration }: LoopDeclaration): void {
    const { identity, loops, provides } = this.#ports;
    const engine = this.#engine;
    // An answer that is on its way is from before the restart.
    if (declaration.restart) this.#forget(loop);
    if (!engine || this.#isGreeted || !identity.isOpen || this.#ticked.has(loop)) return;
    // A poll may pause while its page is hidden.
    const isDue = isFirstTick(declaration) && loops.get(loop)?.neededIn !== null;
    if (isDue && needsNobody(engine, provides(), declaration.invocation))
      void this.#tick(engine, loop, declaration);
  }

  abort(ids: readonly number[]): void {
    for (const id of ids) this.#underWay.get(id)?.abort();
  }

  stop(loop: number): void {
    const tick = this.#ticks.get(loop);
    this.#ticks.delete(loop);
    tick?.abort();
  }

  /** Ends the request that a poll has out; the poll goes on. */
  cut(loop: number): void {
    this.#ticks.get(loop)?.abort();
  }

  /** The poll may be asked for once more. */
  #forget(loop: number): void {
    this.stop(loop);
    this.#ticked.delete(loop);
  }

  /** True where the page has sent that call and waits for its answer. */
  has(id: number): boolean {
    return this.#underWay.has(id);
  }

  /** A write has ended: what is being read may be from before it, and is asked for again. */
  written(): void {
    for (const [id, { abort, isRead }] of this.#underWay) {
      if (!isRead) continue;
      this.#underWay.delete(id);
      abort();
      this.#ports.calls.putBack(id, null);
    }
    const ticks = [...this.#ticks];
    for (const [loop, { declaration }] of ticks) {
      this.stop(loop);
      if (this.#engine) void this.#tick(this.#engine, loop, declaration);
    }
    this.#ports.freed();
  }

  /** An engine is greeted, with all loops: from now on it asks for them, and at most one request of each is out. */
  greet(): void {
    for (const loop of this.#ticks.keys()) this.stop(loop);
    this.#isGreeted = true;
  }

  /** An engine has answered: from now on it sends the calls. It is told what it has to know. */
  finish(): void {
    this.#isOver = true;
    this.#calm();
    this.greet();
    this.#engine = null;
    this.#kept.handOn();
  }

  close(): void {
    this.finish();
    for (const { abort } of this.#underWay.values()) abort();
    this.#underWay.clear();
  }

  async #begin(): Promise<void> {
    const engine = await this.#ports.engine.catch(() => null);
    if (!engine || this.#isOver) return this.#calm();
    this.#engine = engine;
    this.flush();
    for (const declaration of this.#ports.loops.declarations) this.declare(declaration);
    setTimeout(() => this.#rest(), PAUSE);
  }

  async #send(engine: EarlyEngine, call: Call): Promise<void> {
    const { submission, listener } = call;
    const { id, invocation, interest } = submission;
    const watch = {
      ...(interest.sent && { sent: listener.sent.bind(listener) }),
      ...(interest.progress && { progress: listener.progress.bind(listener) }),
    };
    const mine: UnderWay = { ...engine.send(invocation, watch), isRead: isSafe(invocation.method) };
    const number = (this.#sent += 1);
    this.#underWay.set(id, mine);
    const result = await mine.result;
    if (this.#underWay.get(id) !== mine) return;
    this.#underWay.delete(id);
    if (this.#isOvertaken(invocation, number, result)) {
      this.#ports.calls.putBack(id, null);
      return this.#ports.freed();
    }
    this.#kept.add(result.early);
    if (result.kind === 'left') this.#ports.calls.putBack(id, result.wait, result.early !== null);
    else {
      this.#ports.calls.settle(id, opened(result.outcome, call), mayBeDone(result.outcome));
    }
    this.#rest();
  }

  async #tick(engine: EarlyEngine, loop: number, declaration: Omit<LoopDeclaration, 'loop'>): Promise<void> {
    const mine: Tick = { ...engine.send(once(declaration.invocation), {}), declaration };
    if (!this.#ticked.has(loop)) this.#ports.loops.get(loop)?.listener.ticking();
    this.#ticked.add(loop);
    const number = (this.#sent += 1);
    this.#ticks.set(loop, mine);
    const result = await mine.result;
    if (this.#ticks.get(loop) !== mine) return;
    this.#ticks.delete(loop);
    if (this.#isOvertaken(declaration.invocation, number, result))
      return this.#tick(engine, loop, declaration);
    if (result.kind === 'ended') this.#tell(loop, result);
    this.#rest();
  }

  /** True if the answer to a later request for the same was taken: none is told after a newer one (invariant 8). */
  #isOvertaken(invocation: Invocation, number: number, result: EarlyResult): boolean {
    if (result.early?.kind !== 'read') return false;
    const key = askedOf(invocation);
    const taken = this.#taken.get(key) ?? 0;
    this.#taken.set(key, Math.max(taken, number));
    return number < taken;
  }

  #tell(loop: number, { outcome, early }: Extract<EarlyResult, { kind: 'ended' }>): void {
    const declared = this.#ports.loops.get(loop);
    this.#kept.add(early);
    if (!declared) return;
    // The interval may have been changed since the request went out.
    const period = traitsOf(declared.declaration.pace).interval ?? 0;
    const asked = outcome.kind === 'failed' && retryAfter(outcome.answer?.headers ?? [], Date.now());
    const isFine = outcome.kind === 'answered' || outcome.failure.code === 'aborted';
    const nextIn = isFine ? period : Math.max(Math.min(period, QUICK), asked || 0);
    declared.tick({ outcome, nextIn });
  }

  /** Nothing is under way, as far as this turn shows. */
  #rest(): void {
    if (this.#underWay.size === 0 && this.#ticks.size === 0) this.#calm();
  }
}

/** Milliseconds in which a page that has just loaded makes its first calls. */
const PAUSE = 300;

/** Milliseconds that the worker's script waits for a slow answer. */
const LONGEST = 3_000;

/** True for a poll that asks at once, and that nobody has heard of yet. */
function isFirstTick({
  pace,
  invocation,
  interest,
  firstIn,
  cursor,
  wait,
  again,
  position,
}: Omit<LoopDeclaration, 'loop'>): boolean {
  const isPlain = !traitsOf(pace).isHeld && !cursor && !wait && !again && !position;
  return isPlain && firstIn <= 0 && interest.body !== false && isForAnyEngine(invocation);
}

/** A loop has its own rule for what is repeated. */
function once(invocation: Invocation): Invocation {
  return { ...invocation, policy: { ...invocation.policy, retry: 0 } };
}

/** With rows shared with the answer before. */
function opened(outcome: Outcome, { rows }: Call): Outcome {
  return open(outcome, null, rows) ?? outcome;
}

/** A page sends its first calls itself where its host has an engine for that. */
export function earlyOn(host: Host, ports: Omit<EarlyCallsPorts, 'engine'>): EarlyCalls | null {
  const engine = host.early?.();
  if (!engine) return null;
  const early = new EarlyCalls({ ...ports, engine });
  host.begin?.(early.calm);
  return early;
}
