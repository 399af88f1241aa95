/** Those who wait for one thing to happen. */
export class Waiters {
  #waiting: Waiter[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  resolve(): void {
    for (const { resolve } of this.#take()) resolve();
  }

  reject(reason: unknown): void {
    for (const { reject } of this.#take()) reject(reason);
  }

  #take(): Waiter[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}
