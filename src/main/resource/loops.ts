import type { Failure } from '../../shared/failure.ts';
import type { QueryRecord } from '../queries/record.ts';
import { Loop } from './loop.ts';
import type { LoopOrder, Start } from './loop-order.ts';
import type { Link } from './link.ts';
import { RunningLoop } from './running-loop.ts';
import type { LoopEvents, LoopOwner } from './running-loop.ts';

export interface ResourceLoopsPorts extends LoopEvents {
  /** Looked up only at a start or restart: a loop stays with the connection on which it was declared. */
  readonly link: () => Link;
}

/** The loops of one resource: the running ones, and the stopped ones that can be started again. */
export class ResourceLoops implements LoopOwner {
  readonly #ports: ResourceLoopsPorts;
  /** By the key of their order. */
  readonly #running = new Map<string, RunningLoop>();
  /** Loops that `stopAction` has ended, by key. */
  readonly #stopped = new Map<string, RunningLoop>();

  constructor(ports: ResourceLoopsPorts) {
    this.#ports = ports;
  }

  /** Starts a loop, whose first request goes after `firstIn` milliseconds. */
  start(order: LoopOrder, firstIn: number): Loop {
    const link = this.#ports.link();
    const loop = new RunningLoop(order, link, this, this.#ports);
    this.#run(loop, link, { firstIn, restart: false });
    return new Loop(loop);
  }

  stop(loop: RunningLoop): void {
    const { key } = loop.order;
    if (this.#stopped.get(key) === loop) this.#stopped.delete(key);
    loop.end(this.remove(loop));
  }

  restart(loop: RunningLoop): void {
    this.#run(loop, this.#ports.link(), { firstIn: 0, restart: true });
  }

  isRunning(loop: RunningLoop): boolean {
    return this.#running.get(loop.order.key) === loop;
  }

  remove(loop: RunningLoop): boolean {
    return this.isRunning(loop) && this.#running.delete(loop.order.key);
  }

  /** Ends the current requests of an action's loops. */
  cut(action: string): void {
    for (const loop of this.#of(action)) loop.cut();
  }

  /** When a loop of the action, or of that query alone, asks next: the soonest of several, null for none. */
  nextPollAt(action: string, query: QueryRecord | null = null): number | null {
    const meant = this.#of(action).filter(({ record }) => query === null || record === query);
    const times = meant.flatMap(({ dueAt }) => dueAt ?? []);
    return times.length > 0 ? Math.min(...times) : null;
  }

  /** The loops that ask for this. */
  askingFor(query: QueryRecord): RunningLoop[] {
    return [...this.#running.values()].filter(({ record }) => record === query);
  }

  stopAll(): void {
    for (const loop of this.#running.values()) this.stop(loop);
    this.#stopped.clear();
  }

  /** Fails the loops of these eras: their users have gone. */
  failOf(isEnded: (era: number) => boolean, failure: Failure): void {
    for (const loop of [...this.#running.values()].filter(({ era }) => isEnded(era))) loop.fail(failure);
    this.#stopped.clear();
  }

  /** Ends the loops of an action, until `restartAction`. */
  stopAction(action: string): void {
    for (const loop of this.#of(action)) {
      this.stop(loop);
      this.#stopped.set(loop.order.key, loop);
    }
  }

  /** Makes the loops of an action ask at once and go on from there, including those that `stopAction` has ended. */
  restartAction(action: string): void {
    for (const loop of [...this.#of(action), ...this.#of(action, this.#stopped)]) this.restart(loop);
  }

  /**
   * The page's listeners may have changed; the worker is told where that matters. `isMore` is true where a listener has
   * come: it hears the next answer of a quiet loop even if nothing changed.
   */
  updateInterest(isMore = false): void {
    for (const loop of this.#running.values()) loop.updateInterest(isMore);
  }

  /** Makes the quiet loops of an action tell their next answer even if unchanged: a call has reported a problem. */
  tellNext(action: string): void {
    for (const loop of this.#of(action)) if (loop.order.isQuiet) loop.tellNext();
  }

  /** Runs a loop; it replaces the loop with the same key. */
  #run(loop: RunningLoop, link: Link, start: Start): void {
    const { key } = loop.order;
    const before = this.#running.get(key);
    const replaced = before === loop ? undefined : before;
    loop.declare(link, start, replaced);
    this.#stopped.delete(key);
    this.#running.set(key, loop);
    replaced?.end(true);
    this.#ports.changed(loop);
  }

  #of(action: string, loops = this.#running): RunningLoop[] {
    return [...loops.values()].filter((loop) => loop.action === action);
  }
}
