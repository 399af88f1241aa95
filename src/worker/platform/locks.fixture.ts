import type { System } from './system.ts';

type Held = (lock: unknown) => unknown;

/** Exclusive Web Locks as a browser has them: a queue for each name, and a way to steal. */
export class PlayedLocks implements NonNullable<System['locks']> {
  readonly #locks = new Map<string, Queue>();

  /** The names of the locks that are held. */
  get held(): string[] {
    return [...this.#locks].flatMap(([name, { isFree }]) => (isFree ? [] : [name]));
  }

  readonly request: LockManager['request'] = async (
    name: string,
    ...rest: readonly unknown[]
  ): Promise<never> => {
    const queue = this.#locks.get(name) ?? new Queue();
    this.#locks.set(name, queue);
    const held = rest.at(-1);
    if (!isHeld(held)) throw new TypeError('There is nothing to hold it for');
    return queue.request(Object(rest[0]), held);
  };
}

/** One lock and its queue. */
class Queue {
  #rob: ((reason: unknown) => void) | null = null;
  readonly #waiting: (() => void)[] = [];

  get isFree(): boolean {
    return this.#rob === null;
  }

  async request(options: Partial<LockOptions>, held: Held): Promise<never> {
    if (options.ifAvailable && !this.isFree) return givenBack(await held(null));
    if (options.steal) this.#rob?.(new DOMException('taken', 'AbortError'));
    else if (!this.isFree) await this.#turn(options.signal);
    return givenBack(await this.#hold(held));
  }

  async #hold(held: Held): Promise<unknown> {
    const robbery = new AbortController();
    const rob = (reason: unknown): void => robbery.abort(reason);
    this.#rob = rob;
    const robbed = new Promise<never>((_resolve, reject) => {
      robbery.signal.addEventListener('abort', () => reject(robbery.signal.reason));
    });
    try {
      return await Promise.race([robbed, held({})]);
    } finally {
      if (this.#rob === rob) {
        this.#rob = null;
        this.#waiting.shift()?.();
      }
    }
  }

  #turn(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      signal?.addEventListener('abort', () => {
        const place = this.#waiting.indexOf(resolve);
        if (place >= 0) this.#waiting.splice(place, 1);
        reject(signal.reason);
      });
    });
  }
}

function isHeld(value: unknown): value is Held {
  return typeof value === 'function';
}

/** A lock that is given back resolves, to what nobody here asks for; the type of `request` leaves only this. */
function givenBack(value: unknown): never {
  throw new Error(`Given back: ${String(value)}`);
}
