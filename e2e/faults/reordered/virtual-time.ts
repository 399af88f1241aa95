interface Timer {
  readonly at: number;
  readonly work: () => void;
}

/** Time that passes only when told to, so that a run depends on its seed alone. Stands in for the global timers. */
export class VirtualTime {
  #now = 0;
  #last = 0;
  readonly #timers = new Map<number, Timer>();

  /** Puts itself in the place of the real timers; the returned function takes it out again. */
  install(): () => void {
    const { setTimeout, clearTimeout } = globalThis;
    Object.assign(globalThis, { setTimeout: this.#set, clearTimeout: this.#clear });
    return () => void Object.assign(globalThis, { setTimeout, clearTimeout });
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#set(resolve, milliseconds));
  }

  now(): number {
    return this.#now;
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(([, { at }]) => at <= this.#now);
    for (const [id, { work }] of due.toSorted(([, one], [, other]) => one.at - other.at)) {
      if (this.#timers.delete(id)) work();
    }
  }

  readonly #set = (work: () => void, milliseconds = 0): number => {
    this.#last += 1;
    this.#timers.set(this.#last, { at: this.#now + milliseconds, work });
    return this.#last;
  };

  readonly #clear = (id: number): void => {
    this.#timers.delete(id);
  };
}
