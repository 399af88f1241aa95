import { createHash } from 'node:crypto';
import type { Source } from '../../../src/shared/engine.ts';
import { isEnvelope } from '../../../src/shared/guard.ts';
import { compose } from '../../../src/worker/compose.ts';
import type { WorkerEngine } from '../../../src/worker/compose.ts';
import type { System } from '../../../src/worker/platform/system.ts';
import type { Random } from '../random.ts';
import type { Disk } from './disk.ts';
import type { Locks } from './locks.ts';
import type { Server } from './server.ts';
import type { Owner, Timeline } from './timeline.ts';

/** Milliseconds without an event after which a browser ends a worker. */
const IDLE = 30_000;

/** What a worker runs on. */
export interface Machine {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly locks: Locks;
  readonly disk: Disk;
  /** Another place for databases, where it has one. */
  readonly spare?: Disk;
  readonly server: Pick<Server, 'fetchOf' | 'forget' | 'isOnline'>;
  readonly isPresent: (client: string) => boolean;
  /** Hears that a run of the worker has ended, or has nothing of what it was though it runs on. */
  readonly ended: () => void;
}

interface LifeHears {
  /** No event holds it any more. */
  readonly released: () => void;
  readonly ended: () => void;
}

/** One run of the worker's script, from its start to its end. */
export class Life implements Owner {
  readonly number: number;
  state: 'running' | 'gone' = 'running';
  /** From when on its events are dispatched. */
  readonly readyAt: number;
  readonly #machine: Machine;
  readonly #system: System;
  readonly #hears: LifeHears;
  #house: WorkerEngine | null = null;
  #held = 0;
  #lastAt: number;
  #named = 0;

  constructor(number: number, machine: Machine, startsIn: number, hears: LifeHears) {
    this.number = number;
    this.#machine = machine;
    this.#hears = hears;
    this.readyAt = machine.timeline.now + startsIn;
    this.#lastAt = this.readyAt;
    this.#system = this.#systemOn(machine);
    this.#endWhenIdle();
  }

  /** Whether an event holds it. */
  get isHeld(): boolean {
    return this.#held > 0;
  }

  /** Dispatches a message; its event is held for as long as the library asks. */
  dispatch(source: Source, data: unknown): void {
    if (!isEnvelope(data)) return;
    this.#house ??= compose(this.#system, {
      host: 'service-worker',
      scope: 'https://page.example/',
      isPresent: async (client) => this.#machine.isPresent(client),
      configureRequest: (request) => request.setRequestHeader('X-Action', request.action),
      retired: () => {
        this.#house = null;
        this.#machine.ended();
      },
    });
    this.#held += 1;
    const release = (): void => {
      this.#held -= 1;
      this.#lastAt = this.#machine.timeline.now;
      if (this.#held === 0) this.#hears.released();
    };
    this.#house.receive(source, data).then(release, release);
  }

  /** Nothing of it goes on. */
  end(): void {
    if (this.state === 'gone') return;
    this.state = 'gone';
    const { locks, disk, spare, server } = this.#machine;
    server.forget(this);
    disk.forget(this);
    spare?.forget(this);
    locks.forget(this);
    this.#hears.ended();
  }

  #endWhenIdle(): void {
    const { timeline } = this.#machine;
    const left = this.#lastAt + IDLE - timeline.now;
    timeline.schedule(this, Math.max(left, 1_000), () => {
      if (!this.isHeld && timeline.now - this.#lastAt >= IDLE) this.end();
      else this.#endWhenIdle();
    });
  }

  #systemOn({ timeline, random, locks, disk, spare, server }: Machine): System {
    return {
      clock: {
        // Whole milliseconds, as a browser's.
        now: () => Math.floor(timeline.now),
        sleep: (milliseconds, signal) => timeline.sleep(this, milliseconds, signal),
      },
      fetch: server.fetchOf(this),
      isOnline: () => server.isOnline,
      pause: async () => {},
      random: () => random.next(),
      uuid: () => `worker ${this.number} name ${(this.#named += 1)}`,
      digest: async (bytes) => createHash('sha256').update(bytes).digest('hex'),
      locks: locks.of(() => this),
      crypto: null,
      channel: null,
      indexedDB: disk.of(this),
      spare: spare ? { isThere: () => spare.isThere(), open: async () => spare.of(this) } : null,
    };
  }
}

/** A service worker's registration: the one worker that is active, whichever run of it, and one that may wait. */
export class Registration {
  /** Counts the versions of the worker. */
  version = 1;
  waiting = false;
  /** How many milliseconds a worker takes to start. */
  startsIn = 20;
  readonly #machine: Machine;
  readonly #watchers = new Set<() => void>();
  /** The run that there is; null while it has ended and nobody has woken it. */
  #life: Life | null = null;
  #lives = 0;
  /** When the last message arrives: none overtakes another. */
  #lastArrival = 0;
  #skipping: (() => void)[] = [];

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Hears that a worker waits, or that another has become active; the returned function ends that. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** A page posts a message: it wakes the worker. `sourceFor` is what that run of the worker answers to. */
  post(sourceFor: (life: Life) => Source, data: unknown): void {
    const { timeline, random } = this.#machine;
    const life = this.#life ?? this.#start();
    const arrival = Math.max(timeline.now + random.between(1, 5), life.readyAt, this.#lastArrival);
    this.#lastArrival = arrival;
    timeline.schedule(life, arrival - timeline.now, () => life.dispatch(sourceFor(life), data));
  }

  /** The browser ends the worker, whatever it does. */
  kill(): void {
    this.#life?.end();
  }

  /** A newer version is installed and waits. */
  update(): void {
    this.waiting = true;
    this.#tell();
  }

  /** The waiting worker replaces the active one as soon as no event holds that; hears of it then. */
  skipWaiting(replaced: () => void): void {
    if (!this.waiting) return replaced();
    this.#skipping.push(replaced);
    this.#replaceUnlessHeld();
  }

  #start(): Life {
    const life: Life = new Life((this.#lives += 1), this.#machine, this.startsIn, {
      released: () => this.#replaceUnlessHeld(),
      ended: () => this.#end(),
    });
    this.#life = life;
    return life;
  }

  #end(): void {
    this.#machine.ended();
    this.#life = null;
    this.#replaceUnlessHeld();
  }

  #replaceUnlessHeld(): void {
    const waiting = this.#skipping;
    if (waiting.length === 0 || this.#life?.isHeld) return;
    this.#skipping = [];
    this.waiting = false;
    this.version += 1;
    this.kill();
    for (const replaced of waiting) replaced();
    this.#tell();
  }

  #tell(): void {
    for (const changed of this.#watchers) changed();
  }
}
