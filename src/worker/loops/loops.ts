import { pageSetHeaders } from '../../shared/header.ts';
import type { LoopInspection } from '../../shared/inspection.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Delivery } from '../../shared/delivery.ts';
import type { Greeting, LoopDeclaration } from '../../shared/protocol.ts';
import { originOf, signOf } from '../contracts/reachability.ts';
import { SteadyClock } from '../platform/browser-system.ts';
import type { Clock, System } from '../platform/system.ts';
import { ConnectionLimiter } from '../scheduling/connection-limiter.ts';
import { CircuitBreaker } from '../scheduling/circuit-breaker.ts';
import type { LoopStore } from '../contracts/loop-store.ts';
import { DurableState } from '../scheduling/durable-state.ts';
import { SharedLoop } from './shared-loop.ts';
import type { Membership, SharedLoopPorts } from './shared-loop.ts';
import { AdmissionControl } from '../scheduling/admission-control.ts';
import { unreachable } from '../../shared/unreachable.ts';

export type { Membership } from './shared-loop.ts';
export type { StepDelivery } from '../contracts/engine-request.ts';

/** Milliseconds that an engine without loops goes on acting: a new loop often begins right after the last has ended. */
const LINGER = 1_000;

export interface LoopsPorts extends Omit<SharedLoopPorts, 'admission' | 'state'> {
  /** There has been no loop for a while, so this engine need not act. Null where no other one waits to act. */
  readonly idle: (() => void) | null;
  readonly store: LoopStore;
  /** The loop's name in the store. The key may hold secrets; the name tells none. */
  readonly storeKey: (key: string) => Promise<string>;
  /** The stored generation that this engine owns. */
  readonly generation: () => number | null;
  readonly uuid: () => string;
  /** Loops of the same key ask for the same, so one stands for all. */
  readonly keyOf: (declaration: LoopDeclaration) => string;
}

/** The entry: every loop of every page. Loops live in memory; pages declare them again after the worker's death. */
export class Loops {
  readonly #device: Pick<Clock, 'now'>;
  readonly #system: Pick<System, 'clock' | 'random'>;
  readonly #ports: LoopsPorts;
  readonly #loops = new Map<string, SharedLoop>();
  readonly #pages = new Map<string, Map<number, LoopMembership>>();
  readonly #hidden = new Set<string>();
  readonly #breaker: CircuitBreaker;
  readonly #limiter: ConnectionLimiter;
  readonly #shared: Omit<SharedLoopPorts, 'state'>;

  constructor(system: Pick<System, 'clock' | 'random'>, ports: LoopsPorts) {
    this.#device = system.clock;
    this.#system = { clock: new SteadyClock(system.clock), random: system.random };
    this.#ports = ports;
    this.#breaker = new CircuitBreaker(this.#system);
    this.#limiter = new ConnectionLimiter(this.#system.clock);
    this.#shared = { ...ports, admission: (invocation, held) => this.#admission(invocation, held) };
  }

  /** A page says which loops it follows. Those that it does not name end. */
  greet(page: string, { loops, later, hidden }: Pick<Greeting, 'loops' | 'later' | 'hidden'>): void {
    const wanted = new Set([...loops.map(({ loop }) => loop), ...later]);
    for (const number of this.#pages.get(page)?.keys() ?? [])
      if (!wanted.has(number)) this.stop(page, number);
    this.setHidden(page, hidden);
    for (const declaration of loops) this.#declareAgain(page, declaration);
  }

  /** A page follows a loop; the first page starts it. A loop of the same number is replaced. */
  declare(page: string, declaration: LoopDeclaration): void {
    this.stop(page, declaration.loop);
    const key = this.#ports.keyOf(declaration);
    const reached = this.#limitReached(page, key, declaration.replaces ?? null);
    if (reached) {
      this.#ports.tell(page, refusal(declaration, reached));
      return;
    }
    this.#follow(page, key, declaration);
  }

  stop(page: string, number: number): void {
    this.find(page, number)?.leave();
    this.#pages.get(page)?.delete(number);
  }

  /** A page that is gone follows nothing (invariant 13). */
  stopAll(page: string): void {
    for (const { membership } of this.#pages.get(page)?.values() ?? []) membership.leave();
    this.#pages.delete(page);
    this.#hidden.delete(page);
  }

  /** A page is shown or hidden. Its polls go on as their declarations say. */
  setHidden(page: string, hidden: boolean): void {
    if (hidden) this.#hidden.add(page);
    else this.#hidden.delete(page);
    for (const { membership } of this.#pages.get(page)?.values() ?? []) membership.setHidden(hidden);
  }

  find(page: string, number: number): Membership | undefined {
    return this.#pages.get(page)?.get(number)?.membership;
  }

  /** The network is back. Resolves with whether that is stored; never rejects. */
  async wakeUp(): Promise<boolean> {
    const stored = [...this.#loops.values()].map((loop) => loop.wakeUp());
    this.#breaker.openAll();
    return (await Promise.all(stored)).every((isStored) => isStored);
  }

  /** What these URLs show has changed: their loops ask at once. */
  askAgain(isMeant: (url: string) => boolean): void {
    for (const loop of this.#loops.values()) loop.askAgain(isMeant);
  }

  /** All that is stored of loops is being cleared away. Those that run go on. Rejects where `cleared` does. */
  async clear(cleared: Promise<void>): Promise<void> {
    await Promise.all([cleared, ...[...this.#loops.values()].map((loop) => loop.clear(cleared))]);
  }

  /** A request has been answered: for the circuit breaker that is as good as the probe's answer. */
  hear(outcome: Outcome<unknown>): void {
    const origin = originOf(outcome);
    if (origin !== null && signOf(outcome, null) === 'reachable') this.#breaker.open(origin);
  }

  /** By the device's clock: the one that the loops go by may be ahead of it. */
  inspect(): LoopInspection[] {
    const ahead = this.#system.clock.now() - this.#device.now();
    return [...this.#loops.values()].map((each) => {
      const loop = each.inspect();
      return { ...loop, nextDueAt: loop.nextDueAt === null ? null : loop.nextDueAt - ahead };
    });
  }

  /** As `declare`, but a loop that the page follows already does not end in between, and its request is not cut. */
  #declareAgain(page: string, declaration: LoopDeclaration): void {
    const before = this.#pages.get(page)?.get(declaration.loop);
    if (before?.key !== this.#ports.keyOf(declaration)) return this.declare(page, declaration);
    this.#follow(page, before.key, declaration);
    before.membership.leave();
  }

  #follow(page: string, key: string, declaration: LoopDeclaration): void {
    const loop = this.#loops.get(key) ?? this.#build(key, declaration);
    const followed = this.#pages.get(page) ?? new Map<number, LoopMembership>();
    this.#pages.set(page, followed);
    const membership = loop.join(page, declaration, this.#hidden.has(page));
    followed.set(declaration.loop, { key, membership });
  }

  #limitReached(page: string, key: string, replaces: number | null): 'loops' | 'sessionLoops' | null {
    const replaced = replaces === null ? undefined : this.find(page, replaces);
    const loops = this.#loops.size - (replaced?.isLast ? 1 : 0);
    const ofPage = (this.#pages.get(page)?.size ?? 0) - (replaced ? 1 : 0);
    if (!this.#loops.has(key) && loops >= LIMITS.loops) return 'loops';
    return ofPage >= LIMITS.sessionLoops ? 'sessionLoops' : null;
  }

  #admission(invocation: Invocation, held: boolean): AdmissionControl {
    const url = this.#ports.urlOf(invocation);
    return new AdmissionControl(url && new URL(url).origin, held, {
      clock: this.#system.clock,
      acts: (signal) => this.#ports.acts(signal),
      breaker: this.#breaker,
      limiter: this.#limiter,
    });
  }

  #stateOf(key: string): DurableState {
    const { store, storeKey, generation, uuid } = this.#ports;
    return new DurableState({ clock: this.#system.clock, store, generation, uuid, key: () => storeKey(key) });
  }

  /** Without a rival it has nothing to wait for: a timer would keep a process such as Node from ending. */
  async #idleLater(): Promise<void> {
    const { idle } = this.#ports;
    if (!idle) return;
    await this.#system.clock.sleep(LINGER);
    if (this.#loops.size === 0) idle();
  }

  #build(key: string, declaration: LoopDeclaration): SharedLoop {
    const ports = { ...this.#shared, state: this.#stateOf(key) };
    const loop = new SharedLoop(declaration, this.#system, ports, () => {
      if (this.#loops.get(key) === loop) this.#loops.delete(key);
      if (this.#loops.size === 0) void this.#idleLater();
    });
    this.#loops.set(key, loop);
    return loop;
  }
}

interface LoopMembership {
  readonly key: string;
  readonly membership: Membership;
}

function refusal({ loop, invocation }: LoopDeclaration, limit: 'loops' | 'sessionLoops'): Delivery {
  const value = limit === 'loops' ? LIMITS.loops : LIMITS.sessionLoops;
  const where = limit === 'loops' ? '' : ' of one page';
  const message = `Too many loops: '${invocation.action}' would be one more than ${value}${where}; stop some first`;
  const failure = { code: 'limit', message, limit, value } as const;
  return {
    kind: 'tick',
    loop,
    outcome: unanswered(failure),
    nextIn: null,
  };
}

/**
 * Loops of the same key are one: they send the same request under the same terms. How often they ask is not part of the
 * key. It may hold secrets, so it is neither stored nor shown.
 */
export function loopKey(
  { invocation, pace, cursor, wait }: LoopDeclaration,
  urlOf: (invocation: Invocation) => string | null,
): string {
  const { catchUp, ...place } = cursor ?? { catchUp: null };
  return JSON.stringify([
    pace.kind,
    termsOf(invocation, urlOf),
    place,
    wait ?? null,
    catchUp && termsOf(catchUp, urlOf),
  ]);
}

/** What a request asks for, and under which terms. */
function termsOf(invocation: Invocation, urlOf: (invocation: Invocation) => string | null): unknown[] {
  const { method, headers, body, policy, template, params } = invocation;
  const target = urlOf(invocation) ?? JSON.stringify([template, params]);
  return [method, target, pageSetHeaders(headers), textOf(body), policy];
}

function textOf(body: RequestBody): string {
  switch (body.kind) {
    case 'none':
    // It is part of the URL.
    case 'query':
      return '';
    case 'text':
      return `text ${body.text}`;
    case 'bytes':
      // In this encoding each byte is one character.
      return `bytes ${new TextDecoder('latin1').decode(body.bytes)}`;
    default:
      return unreachable(body);
  }
}
