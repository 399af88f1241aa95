import { LIMITS } from '../../shared/limits.ts';
import { foundIn } from '../contracts/lookup.ts';
import type { Lookup } from '../contracts/lookup.ts';
import { keyWithin, urlOf } from './keys.ts';

/** Keys that are listed at a time. */
const SLICE = 100;

/** All answers whose keys begin with one of these: keys begin with their URLs. */
export interface Below {
  readonly prefixes: readonly string[];
}

export interface SweepPorts {
  /** At most `limit` stored keys after `after`, in order. */
  readonly keys: (after: string, limit: number) => Promise<Lookup<readonly string[]>>;
  /** Resolves with false if the storage cannot tell. Never rejects. */
  readonly act: (key: string) => Promise<boolean>;
}

/** What is to be swept still. */
interface Task {
  /** The URL, as it is in keys, or the base itself. */
  readonly name: string | Below;
  readonly prefixes: readonly string[];
  /** The keys that were stored since. */
  readonly since: Set<string>;
  isRunning: boolean;
}

interface Watch {
  readonly key: string;
  isMeant: boolean;
}

/**
 * Removes all that is stored for a URL, or marks it as outdated, whatever headers it was asked with; or all that is below
 * a base. The keys have to be listed first, so `covers` tells at once what it is about. Answers that are stored meanwhile
 * are spared. What the storage cannot tell is swept once it answers again, and covered until then.
 */
export class Sweep {
  readonly #ports: SweepPorts;
  /** By name, oldest first. A later one of the same name takes the place of the one before. */
  readonly #tasks = new Map<Task['name'], Task>();
  /** Those that are bases: few, and looked through for each key. */
  readonly #bases = new Set<Task>();

  /** What is told of the next one that is about a key. */
  readonly #watches = new Set<Watch>();

  constructor(ports: SweepPorts) {
    this.#ports = ports;
  }

  /** Notes whether one about this key begins until `end` is called. */
  watch(key: string): { readonly isMeant: boolean; readonly end: () => void } {
    const watch: Watch = { key, isMeant: false };
    this.#watches.add(watch);
    return {
      get isMeant() {
        return watch.isMeant;
      },
      end: () => this.#watches.delete(watch),
    };
  }

  covers(key: string): boolean {
    return this.#tasksOf(key).some(({ since }) => !since.has(key));
  }

  /** An answer is stored now. */
  spare(key: string): void {
    for (const { since } of this.#tasksOf(key)) {
      // To sweep them once more costs a request each.
      if (since.size >= LIMITS.swept) since.clear();
      since.add(key);
    }
  }

  /** Resolves when it has ended, or has to wait for the storage. Never rejects. */
  run(target: string | Below): Promise<void> {
    const [name, prefixes] = typeof target === 'string' ? ofUrl(target) : [target, target.prefixes];
    this.#end(this.#tasks.get(name));
    const task = { name, prefixes, since: new Set<string>(), isRunning: false };
    this.#tasks.set(name, task);
    if (typeof name !== 'string') this.#bases.add(task);
    for (const watch of this.#watches)
      watch.isMeant ||= prefixes.some((prefix) => watch.key.startsWith(prefix));
    const [oldest] = this.#tasks.values();
    if (this.#tasks.size > LIMITS.swept) this.#end(oldest);
    return this.#sweep(task);
  }

  /** The storage answers: another try of what has to wait for it. Resolves as `run` does. */
  async resume(): Promise<void> {
    await Promise.all(
      [...this.#tasks.values()].filter(({ isRunning }) => !isRunning).map((task) => this.#sweep(task)),
    );
  }

  /** Nothing is stored any more. */
  clear(): void {
    for (const task of this.#tasks.values()) this.#end(task);
  }

  get size(): number {
    return this.#tasks.size;
  }

  #tasksOf(key: string): readonly Task[] {
    const task = this.#tasks.get(urlOf(key));
    const ofBases = [...this.#bases].filter(({ prefixes }) =>
      prefixes.some((prefix) => key.startsWith(prefix)),
    );
    return task ? [task, ...ofBases] : ofBases;
  }

  async #sweep(task: Task): Promise<void> {
    task.isRunning = true;
    const isDone = await Promise.all(task.prefixes.map((prefix) => this.#sweepBelow(prefix, task)));
    task.isRunning = false;
    if (isDone.every(Boolean)) this.#end(task);
  }

  /** False if the storage could not tell all that begins with the prefix. */
  async #sweepBelow(prefix: string, task: Task): Promise<boolean> {
    let isDone = true;
    let after = before(prefix);
    for (;;) {
      const found = await this.#ports.keys(after, SLICE);
      // A newer one covers all that is left.
      if (this.#tasks.get(task.name) !== task) return true;
      if (found.kind === 'unknown') {
        // At least the answer to a request without headers of its own.
        if (typeof task.name === 'string' && !task.since.has(prefix)) await this.#ports.act(prefix);
        return false;
      }
      const keys = (foundIn(found) ?? []).filter((key) => key.startsWith(prefix));
      const done = await Promise.all(
        keys.filter((key) => !task.since.has(key)).map((key) => this.#ports.act(key)),
      );
      isDone &&= done.every(Boolean);
      if (keys.length < SLICE) return isDone;
      after = keys.at(-1) ?? after;
    }
  }

  #end(task: Task | undefined): void {
    if (!task || this.#tasks.get(task.name) !== task) return;
    this.#tasks.delete(task.name);
    this.#bases.delete(task);
  }
}

export interface SweepsPorts extends Pick<SweepPorts, 'keys'> {
  readonly remove: SweepPorts['act'];
  readonly outdate: SweepPorts['act'];
}

/** The two ways to sweep. */
export class Sweeps {
  readonly removal: Sweep;
  readonly outdating: Sweep;
  /** Resolves once all so far have ended, or have to wait for the storage. */
  #all: Promise<unknown> = Promise.resolve();

  constructor({ keys, remove, outdate }: SweepsPorts) {
    this.removal = new Sweep({ keys, act: remove });
    this.outdating = new Sweep({ keys, act: outdate });
  }

  remove(url: string): Promise<void> {
    return this.#begin(this.removal.run(url));
  }

  outdate(target: string | Below): Promise<void> {
    return this.#begin(this.outdating.run(target));
  }

  /** The storage has answered. */
  resume(): void {
    for (const each of [this.removal, this.outdating]) if (each.size > 0) void this.#begin(each.resume());
  }

  clear(): void {
    this.removal.clear();
    this.outdating.clear();
  }

  /** Resolves once all that were begun so far have ended, or have to wait for the storage. */
  async ended(): Promise<void> {
    await this.#all;
  }

  #begin(sweep: Promise<void>): Promise<void> {
    this.#all = Promise.all([this.#all, sweep]);
    return sweep;
  }
}

function ofUrl(url: string): [name: string, prefixes: readonly string[]] {
  const prefix = keyWithin(url);
  return [urlOf(prefix), [prefix]];
}

/** The last text in the order of keys before all that begin with the prefix. */
function before(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return `${prefix.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`;
}
