import { isAborted } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { StaleGeneration } from './database-deadline.ts';
import type { System } from './system.ts';
import { aborted, Bell, Deferred } from './waiting.ts';

export interface EngineLockPorts {
  readonly locks: System['locks'];
  /** The Web Lock that one engine of the scope holds at a time. */
  readonly name: string;
  /** True to take the lock from its holder: once, so that two engines never take it from each other in turn. */
  readonly steals: boolean;
  /** Raises the stored generation above that; resolves to null if there is no database, rejects if that fails. */
  readonly raise: (above: number) => Promise<number | null>;
  /** Another engine has taken the lock away. */
  readonly stolen: () => void;
}

/**
 * Keeps one engine of a scope acting: work that runs by itself runs only in the holder
 * of the lock, and only the holder writes what it keeps. The lock is asked for when there is first something to run,
 * and again after it was taken away. An engine that has no Web Locks, or may not use them, has no rival and acts.
 */
export class EngineLock {
  readonly #ports: EngineLockPorts;
  readonly #bell = new Bell();
  #steals: boolean;
  #needed = false;
  #resting = false;
  #competing = false;
  #released = new AbortController();
  #term: Term | null = null;
  /** The highest generation that this engine has had. */
  #last = 0;

  constructor(ports: EngineLockPorts) {
    this.#ports = ports;
    this.#steals = ports.steals;
  }

  get acting(): boolean {
    return this.#present !== null;
  }

  /** The stored generation that is this engine's own; null while it rests, or if it could not be stored. */
  get generation(): number | null {
    return this.#present?.generation ?? null;
  }

  /** Resolves as soon as this engine acts, or the signal aborts. */
  async acts(signal: AbortSignal): Promise<void> {
    this.#needed = true;
    this.#start();
    while (!this.#present && !signal.aborted) await this.#bell.heard(signal);
  }

  /** Asks while this engine acts. A request that is out when that ends is cut short, and asked again later. */
  async act<Result extends Outcome<unknown>>(
    ask: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    let [term, outcome] = await this.#ask(ask, signal);
    while (term.aborted && !signal.aborted && isAborted(outcome)) {
      [term, outcome] = await this.#ask(ask, signal);
    }
    return outcome;
  }

  /** Does that work in each term in which this engine acts; `work` ends when its signal aborts. Resolves when the signal aborts. */
  async whileActing(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#ask(work, signal);
  }

  /**
   * Writes what only the acting engine may write; `read` is the generation in which it read what it builds on. If the
   * stored generation differs though this engine holds the lock, the database was deleted, or an engine that lost the
   * lock has raised it late. This engine then raises it again and writes once more.
   * @throws StaleGeneration if it no longer acts, or has begun another term since it read.
   */
  async write<T>(read: number | null, work: (own: number | null) => Promise<T>): Promise<T> {
    const term = this.#present;
    if (!term?.has(read)) throw new StaleGeneration(read, term?.generation ?? null);
    const own = term.generation ?? (await term.raise(null));
    try {
      return await work(own);
    } catch (error) {
      if (!(error instanceof StaleGeneration) || !(await this.#holds(term))) throw error;
      return work(await term.raise(own));
    }
  }

  /**
   * Nothing is left to run: a page gives the lock back, since another page may have loops that wait. A service worker
   * keeps it, since it does not live long by itself, and would not get it back.
   */
  release(): void {
    if (this.#ports.steals) return;
    this.#needed = false;
    this.#released.abort();
  }

  /** Gives the lock back, or its place in the queue. */
  rest(): void {
    this.#resting = true;
    this.#released.abort();
  }

  /** Competes for the lock again, if there is something to run. */
  resume(): void {
    this.#resting = false;
    this.#start();
  }

  get #wanted(): boolean {
    return this.#needed && !this.#resting;
  }

  #start(): void {
    if (this.#wanted && !this.#competing) void this.#compete();
  }

  async #compete(): Promise<void> {
    this.#competing = true;
    while (this.#wanted) {
      this.#released = new AbortController();
      await this.#hold(this.#released.signal);
      this.#steals = false;
    }
    this.#competing = false;
  }

  /** Waits for the lock and serves until it is given back or taken away. */
  async #hold(released: AbortSignal): Promise<void> {
    const { locks, name } = this.#ports;
    const end = new AbortController();
    released.addEventListener('abort', () => end.abort());
    if (!locks) return this.#serve(end.signal);
    let granted = false;
    const serve = (): Promise<void> => {
      granted = true;
      return this.#serve(end.signal);
    };
    try {
      await locks.request(name, this.#steals ? { steal: true } : { signal: released }, serve);
    } catch {
      // It was taken away, or is no longer waited for; otherwise this page may use no locks.
      if (granted) this.#lose(end);
      else if (!released.aborted) await this.#serve(end.signal);
    }
  }

  #lose(end: AbortController): void {
    end.abort();
    this.#ports.stolen();
  }

  /** One term: from the raised generation until the signal aborts. */
  async #serve(signal: AbortSignal): Promise<void> {
    const ended = aborted(signal);
    const term = new Term(signal, this.#last, this.#ports.raise);
    await term.begin();
    this.#term = term;
    this.#bell.ring();
    await ended;
    this.#last = term.last;
  }

  get #present(): Term | null {
    return this.#term?.signal.aborted === false ? this.#term : null;
  }

  /** True if the lock is still this engine's. If it was taken, the browser says so before it answers this request. */
  async #holds({ signal }: Term): Promise<boolean> {
    const { locks, name } = this.#ports;
    await locks?.request(name, { ifAvailable: true }, () => {}).catch(() => {});
    return !signal.aborted;
  }

  /** Waits until this engine acts, and asks once; if the caller leaves meanwhile, with a signal that is aborted. */
  async #ask<Result>(
    ask: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<[term: AbortSignal, outcome: Result]> {
    await this.acts(signal);
    const term = this.#present?.signal ?? signal;
    const either = new AbortController();
    const end = (): void => either.abort();
    for (const each of [signal, term]) {
      if (each.aborted) end();
      each.addEventListener('abort', end);
    }
    const outcome = await ask(either.signal);
    for (const each of [signal, term]) each.removeEventListener('abort', end);
    return [term, outcome];
  }
}

/** The time in which an engine acts: from when the lock is granted until it is given back or taken away. */
class Term {
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
  /** The highest generation that the engine had before; raised ones are above it. */
  readonly #before: number;
  readonly #raise: (above: number) => Promise<number | null>;
  #generation: number | null = null;
  #beganWithout = true;
  #raising: Promise<number | null> | null = null;

  constructor(signal: AbortSignal, before: number, raise: (above: number) => Promise<number | null>) {
    this.signal = signal;
    this.#before = before;
    this.#raise = raise;
  }

  get generation(): number | null {
    return this.#generation;
  }

  /** The highest generation so far. */
  get last(): number {
    return this.#generation ?? this.#before;
  }

  /** Raises the generation; if that fails, the term begins without one. */
  async begin(): Promise<void> {
    await this.raise(null).catch(() => null);
    this.#beganWithout = this.#generation === null;
  }

  /** True if that was the engine's own generation at some time of this term. */
  has(generation: number | null): boolean {
    return generation === null ? this.#beganWithout : generation > this.#before && generation <= this.last;
  }

  /** Raises the generation above the refused one, once for all writes that were refused; rejects if that fails. */
  async raise(refused: number | null): Promise<number | null> {
    if (this.#generation !== refused) return this.#generation;
    this.#raising ??= this.#raiseAbove(this.last);
    return this.#raising;
  }

  async #raiseAbove(above: number): Promise<number | null> {
    try {
      this.#generation = await this.#raise(above);
      return this.#generation;
    } finally {
      this.#raising = null;
    }
  }
}

/**
 * The lock that names one worker instance and is held while it lives, so that pages learn of its end at once:
 * milliseconds after the worker's death in Chromium and Firefox (platform.md).
 */
export class LifeLock {
  /** Resolves to its name when it is granted, to null if the platform has no locks or refuses this one. */
  readonly granted: Promise<string | null>;
  readonly #ended = new Deferred();

  constructor({ locks }: Pick<System, 'locks'>, name: string) {
    const { promise, resolve } = new Deferred<string | null>();
    const hold = (): Promise<void> => {
      resolve(name);
      return this.#ended.promise;
    };
    if (locks) locks.request(name, hold).catch(() => resolve(null));
    else resolve(null);
    this.granted = promise;
  }

  /** Ends the instance for pages, though its script runs on. */
  release(): void {
    this.#ended.resolve();
  }
}
