import type { Notice } from './notice.ts';

/**
 * Has the ends of an action's invocations told in the order in which they came, though a schema may take longer over
 * one than over the next. Where none is waited for they are told at once.
 */
export class InTurn {
  /** The turn of what came last, by action. */
  readonly #last = new Map<string, Promise<Notice>>();

  tell(action: string, notice: Notice | Promise<Notice>, hear: (notice: Notice) => void): void {
    const before = this.#last.get(action);
    if (!before && !(notice instanceof Promise)) return hear(notice);
    const turn = after(before, notice);
    this.#last.set(action, turn);
    void this.#tellLater(action, turn, hear);
  }

  async #tellLater(action: string, turn: Promise<Notice>, hear: (notice: Notice) => void): Promise<void> {
    const notice = await turn;
    if (this.#last.get(action) === turn) this.#last.delete(action);
    hear(notice);
  }
}

async function after(before: Promise<Notice> | undefined, notice: Notice | Promise<Notice>): Promise<Notice> {
  await before;
  return notice;
}
