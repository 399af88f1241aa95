/** Answers one request that waits; false where nobody waits any more. */
export type Answer = (status: number, body: string) => boolean;

/** Requests that stay unanswered until a test releases them, by a key of its own choice. */
export class WaitingRoom {
  readonly #waiting = new Map<string, Answer[]>();

  enter(key: string, answer: Answer): void {
    this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), answer]);
  }

  /** Answers all that wait under a key; returns how many there were. */
  release(key: string, body: string, status = 200): number {
    const waiting = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    return waiting.filter((answer) => answer(status, body)).length;
  }
}
