import { LIMITS } from '../../shared/limits.ts';
import { foundIn, UNNAMED } from '../contracts/response-store.ts';
import type { Lookup, ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import { beforeKeys, nameIn } from './keys.ts';

/** Keys that are listed at a time. */
const SLICE = 100;

/** All answers whose URLs, each with a space after it, begin with one of these. */
export interface Below {
  readonly prefixes: readonly string[];
}

export interface SweepPorts {
  /** At most `limit` stored keys after `after`, in order. */
  readonly keys: (after: string, limit: number) => Promise<Lookup<readonly string[]>>;
  /** What the keys of a URL begin with. */
  readonly within: (url: string) => string | Promise<string>;
  /** Finds what is stored, if keys do not begin with its URL; null if they do. */
  readonly find: ((key: string) => Promise<Lookup<Pick<StoredResponse, 'url'>>>) | null;
  /** Resolves with false if the storage cannot tell. Never rejects. */
  readonly act: (key: string) => Promise<boolean>;
}

/** What is to be swept still. */
interface Task {
  /** What keys call the URL, or the base itself. */
  readonly name: string | Below;
  /** What the keys begin with: nothing in common, if they do not tell what lies below a base. */
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

  /** URLs that are to be swept once it is known what the storage calls them, the latest last. */
  readonly #owed = new Set<string>();
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
    if (typeof target !== 'string') return this.#begin(target, this.#ports.find ? [''] : target.prefixes);
    const within = this.#ports.within(target);
    // What is not encrypted is covered in this very turn.
    return typeof within === 'string'
      ? this.#runWithin(target, within)
      : within.then((prefix) => this.#runWithin(target, prefix));
  }

  #runWithin(url: string, prefix: string): Promise<void> {
    this.owe(url, prefix);
    return this.#begin(nameIn(prefix), [prefix]);
  }

  /** A made-up key does not lead to the stored answers of its URL: they are swept once their true name is known. */
  owe(url: string, key: string): void {
    if (!key.startsWith(UNNAMED)) return;
    this.#owed.delete(url);
    this.#owed.add(url);
    const [oldest = ''] = this.#owed;
    if (this.#owed.size > LIMITS.swept) this.#owed.delete(oldest);
  }

  get isOwing(): boolean {
    return this.#owed.size > 0;
  }

  /** Begins what is owed, as far as the storage can name it. Resolves once it covers that. Never rejects. */
  async beginOwed(): Promise<void> {
    await Promise.all(
      [...this.#owed].map(async (url) => {
        const prefix = await this.#ports.within(url);
        // Another call may have begun it meanwhile.
        if (!prefix.startsWith(UNNAMED) && this.#owed.delete(url)) void this.#begin(nameIn(prefix), [prefix]);
      }),
    );
  }

  #begin(name: Task['name'], prefixes: readonly string[]): Promise<void> {
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
    this.#owed.clear();
    for (const task of this.#tasks.values()) this.#end(task);
  }

  get size(): number {
    return this.#tasks.size;
  }

  #tasksOf(key: string): readonly Task[] {
    const task = this.#tasks.get(nameIn(key));
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
    let after = beforeKeys(prefix);
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
        keys.filter((key) => !task.since.has(key)).map((key) => this.#act(key, task)),
      );
      isDone &&= done.every(Boolean);
      if (keys.length < SLICE) return isDone;
      after = keys.at(-1) ?? after;
    }
  }

  /** Of a base, only if the answer is below it. */
  async #act(key: string, { name, since }: Task): Promise<boolean> {
    const { find, act } = this.#ports;
    if (find === null || typeof name === 'string') return act(key);
    const found = await find(key);
    if (found.kind !== 'found') return found.kind === 'absent';
    return since.has(key) || !isBelow(found.value.url, name) || act(key);
  }

  #end(task: Task | undefined): void {
    if (!task || this.#tasks.get(task.name) !== task) return;
    this.#tasks.delete(task.name);
    this.#bases.delete(task);
  }
}

export interface SweepsPorts extends Omit<SweepPorts, 'act'> {
  readonly remove: SweepPorts['act'];
  readonly outdate: SweepPorts['act'];
}

/** The two ways to sweep. */
export class Sweeps {
  readonly removal: Sweep;
  readonly outdating: Sweep;
  /** Resolves once all so far have ended, or have to wait for the storage. */
  #all: Promise<unknown> = Promise.resolve();

  constructor({ remove, outdate, ...ports }: SweepsPorts) {
    this.removal = new Sweep({ ...ports, act: remove });
    this.outdating = new Sweep({ ...ports, act: outdate });
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

  /** Names that are given once all is covered that was to be swept before the storage could name it. */
  naming(responses: Pick<ResponseStore, 'nameOf'>): Pick<ResponseStore, 'nameOf'> {
    return {
      nameOf: (url) => {
        const name = responses.nameOf(url);
        return typeof name === 'string' && !this.#isOwing ? name : this.#afterOwed(name);
      },
    };
  }

  async #afterOwed(name: string | Promise<string>): Promise<string> {
    const known = await name;
    if (this.#isOwing && !known.startsWith(UNNAMED))
      await Promise.all([this.removal.beginOwed(), this.outdating.beginOwed()]);
    return known;
  }

  get #isOwing(): boolean {
    return this.removal.isOwing || this.outdating.isOwing;
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

function isBelow(url: string, { prefixes }: Below): boolean {
  const text = `${url.split('#', 1)[0] ?? ''} `;
  return prefixes.some((prefix) => text.startsWith(prefix));
}
