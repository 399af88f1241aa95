import type { Owner, Timeline } from './timeline.ts';

/** Web Locks as the standard has them, for owners that may freeze or be gone at any instant. */
export class Locks {
  readonly #timeline: Timeline;
  readonly #held: Lock[] = [];
  #waiting: Lock[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** What `navigator.locks` is for that owner. */
  of(owner: () => Owner | null): Pick<LockManager, 'request'> {
    return {
      request: (name: string, ...rest: readonly unknown[]): Promise<never> => {
        const callback = rest.at(-1);
        if (!isCallback(callback)) throw new TypeError('A lock needs a callback');
        return this.#request(owner(), name, rest.find(isOptions) ?? {}, callback);
      },
    };
  }

  /** The locks of an owner that is gone are free. */
  forget(owner: Owner): void {
    this.#waiting = this.#waiting.filter((lock) => lock.owner !== owner);
    for (const lock of this.#held.filter((each) => each.owner === owner)) this.#release(lock);
  }

  #request(owner: Owner | null, name: string, options: LockOptions, callback: Callback): Promise<never> {
    // The disk may go on with the code of a worker that is gone; that takes no lock from those that live.
    if (owner?.state === 'gone') return new Promise(() => {});
    const { mode = 'exclusive', steal = false, ifAvailable = false, signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted());
      const lock: Lock = { owner, name, mode, callback, resolve, reject, isBroken: false };
      if (steal) this.#break(name);
      if (ifAvailable && !this.#isFree(lock)) return void this.#call(lock, null);
      signal?.addEventListener('abort', () => this.#giveUp(lock), { once: true });
      if (steal) this.#waiting.unshift(lock);
      else this.#waiting.push(lock);
      this.#grant();
    });
  }

  #break(name: string): void {
    for (const lock of this.#held.filter((each) => each.name === name)) {
      lock.isBroken = true;
      this.#held.splice(this.#held.indexOf(lock), 1);
      this.#timeline.schedule(lock.owner, 1, () => lock.reject(aborted()));
    }
  }

  #giveUp(lock: Lock): void {
    if (!this.#waiting.includes(lock)) return;
    this.#waiting = this.#waiting.filter((each) => each !== lock);
    lock.reject(aborted());
    this.#grant();
  }

  /** Grants in the order of asking: one that must wait keeps those behind it waiting. */
  #grant(): void {
    const blocked = new Set<string>();
    for (const lock of this.#waiting) {
      if (blocked.has(lock.name) || !this.#isFree(lock)) blocked.add(lock.name);
      else {
        this.#waiting = this.#waiting.filter((each) => each !== lock);
        this.#held.push(lock);
        this.#timeline.schedule(
          lock.owner,
          1,
          () => void this.#call(lock, { name: lock.name, mode: lock.mode }),
        );
      }
    }
  }

  #isFree({ name, mode }: Lock): boolean {
    const held = this.#held.filter((each) => each.name === name);
    return mode === 'shared' ? held.every((each) => each.mode === 'shared') : held.length === 0;
  }

  async #call(lock: Lock, given: object | null): Promise<void> {
    try {
      const result: never = await lock.callback(given);
      if (!lock.isBroken) lock.resolve(result);
    } catch (error) {
      lock.reject(error);
    }
    this.#release(lock);
  }

  #release(lock: Lock): void {
    const at = this.#held.indexOf(lock);
    if (at !== -1) this.#held.splice(at, 1);
    this.#grant();
  }
}

type Callback = (lock: object | null) => Promise<never>;

interface Lock {
  readonly owner: Owner | null;
  readonly name: string;
  readonly mode: LockMode;
  readonly callback: Callback;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
  isBroken: boolean;
}

function isCallback(value: unknown): value is Callback {
  return typeof value === 'function';
}

function isOptions(value: unknown): value is LockOptions {
  return typeof value === 'object' && value !== null;
}

function aborted(): DOMException {
  return new DOMException('The request was aborted', 'AbortError');
}
