/** Milliseconds after which a character begins anew. */
const PAUSE = 500;

/** Gathers the characters that are typed to find a row. */
export class TypeAhead {
  #typed = '';
  #at = -Infinity;

  /** What is typed with this key, at this time in milliseconds; empty where the key is no character of it. */
  add(key: string, at: number): string {
    const before = at - this.#at < PAUSE ? this.#typed : '';
    // A space alone is a command; between characters it is one of them.
    if (Array.from(key).length !== 1 || (key === ' ' && before === '')) return '';
    this.#typed = before + key;
    this.#at = at;
    return this.#typed;
  }
}

/**
 * The row to go to for what is typed: the next whose label begins so, round about; -1 where none does. One character,
 * also where it is repeated, goes on from row to row; more stay where they fit.
 */
export function matchFor(
  typed: string,
  active: number,
  count: number,
  labelAt: (index: number) => string,
): number {
  const characters = Array.from(typed.toLowerCase());
  const isCycling = characters.every((each) => each === characters[0]);
  const text = (isCycling ? characters[0] : characters.join('')) ?? '';
  const start = isCycling ? active + 1 : Math.max(active, 0);
  for (let step = 0; step < count; step += 1) {
    const index = (start + step) % count;
    if (labelAt(index).slice(0, text.length).toLowerCase() === text) return index;
  }
  return -1;
}
