/** Something that work is done for: a page, one run of a worker, the disk. Work of one that is gone is dropped. */
export interface Owner {
  /** A frozen owner's work waits until it is thawed. */
  readonly state: 'running' | 'frozen' | 'gone';
  /** Puts the globals in place that this owner's work sees. */
  readonly enter?: () => void;
}

interface Task {
  due: number;
  /** Tasks of one instant run in the order in which they were scheduled. */
  nth: number;
  readonly owner: Owner | null;
  readonly work: () => void;
  isCancelled: boolean;
}

/** How often one instant may go on before it counts as endless. */
const ENDLESS = 20_000;

/**
 * Virtual time for pages, workers, disk and network together. One task runs at a time, and everything that follows from
 * it at once runs before the next: so a run depends on its seed alone, and each timer belongs to whoever set it.
 */
export class Timeline {
  #now = Date.UTC(2026, 0, 1);
  #scheduled = 0;
  #owner: Owner | null = null;
  #tasks: Task[] = [];
  #parked: Task[] = [];

  get now(): number {
    return this.#now;
  }

  /** Whose work runs now. */
  get owner(): Owner | null {
    return this.#owner;
  }

  /** Does the work after so many milliseconds, as the owner's; the returned function cancels it. */
  schedule(owner: Owner | null, milliseconds: number, work: () => void): () => void {
    const due = this.#now + Math.max(0, milliseconds);
    const task = { due, nth: (this.#scheduled += 1), owner, work, isCancelled: false };
    this.#insert(task);
    return () => {
      task.isCancelled = true;
    };
  }

  sleep(owner: Owner | null, milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.schedule(owner, milliseconds, () => {
        signal?.removeEventListener('abort', wake);
        resolve();
      });
      const wake = (): void => {
        cancel();
        resolve();
      };
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** What waited for the owner runs now, in its order. */
  thaw(owner: Owner): void {
    const waiting = this.#parked.filter((task) => task.owner === owner);
    this.#parked = this.#parked.filter((task) => task.owner !== owner);
    // The tasks themselves, not copies: whoever scheduled one can still cancel it.
    for (const task of waiting)
      this.#insert(Object.assign(task, { due: this.#now, nth: (this.#scheduled += 1) }));
  }

  /** Lets so many milliseconds pass. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await drained();
    let [instant, tasks] = [this.#now, 0];
    for (let task = this.#take(end); task; task = this.#take(end)) {
      [instant, tasks] = instant === task.due ? [instant, tasks + 1] : [task.due, 0];
      if (tasks > ENDLESS) throw new Error('Something goes on without end in one instant');
      await this.#run(task);
    }
    this.#now = end;
  }

  async #run(task: Task): Promise<void> {
    this.#now = Math.max(this.#now, task.due);
    if (task.isCancelled || task.owner?.state === 'gone') return;
    if (task.owner?.state === 'frozen') {
      this.#parked.push(task);
      return;
    }
    this.#owner = task.owner;
    task.owner?.enter?.();
    task.work();
    await drained();
    this.#owner = null;
  }

  #take(end: number): Task | null {
    const [next] = this.#tasks;
    if (!next || next.due > end) return null;
    const last = this.#tasks.pop();
    if (last && last !== next) this.#sink(last);
    return next;
  }

  #insert(task: Task): void {
    let at = this.#tasks.push(task) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#tasks[above];
      if (!parent || isBefore(parent, task)) break;
      this.#tasks[at] = parent;
      at = above;
    }
    this.#tasks[at] = task;
  }

  /** Puts the task at the top of the heap, and from there where it belongs. */
  #sink(task: Task): void {
    let at = 0;
    for (let child = this.#lesser(at); child !== null; child = this.#lesser(at)) {
      const below = this.#tasks[child];
      if (!below || isBefore(task, below)) break;
      this.#tasks[at] = below;
      at = child;
    }
    this.#tasks[at] = task;
  }

  #lesser(at: number): number | null {
    const [left, right] = [this.#tasks[2 * at + 1], this.#tasks[2 * at + 2]];
    if (!left) return null;
    return right && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
  }
}

function isBefore(one: Task, other: Task): boolean {
  return one.due < other.due || (one.due === other.due && one.nth < other.nth);
}

/** The real one: a world has its own in its place. */
const { setImmediate: turn } = globalThis;

/** All promises that can settle now have. */
function drained(): Promise<void> {
  return new Promise((resolve) => void turn(resolve));
}
