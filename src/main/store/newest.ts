import type { Revision } from '../../shared/outcome.ts';

/** How many lines are remembered as left; there is a new one only where what was stored is gone. */
const LINES = 100;

/**
 * Tells news from what comes late or twice: of one line the higher number is the newer, and a line that was left is
 * never returned to (invariant 8). Answers that are not stored have no revision and are always news.
 */
export class Newest {
  #url = '';
  #revision: Revision | null = null;
  /** Whether the newest revision is what was taken last. */
  #shown = false;
  #left: string[] = [];

  /** Whether to show it; what is shown is remembered. */
  take(url: string, revision: Revision | null): boolean {
    if (url !== this.#url) this.#forget(url);
    if (revision === null) {
      this.#shown = false;
      return true;
    }
    if (!this.#isNews(revision)) return false;
    const line = this.#revision?.line;
    if (line !== undefined && line !== revision.line) this.#left = [...this.#left, line].slice(-LINES);
    this.#revision = revision;
    this.#shown = true;
    return true;
  }

  #isNews({ line, n }: Revision): boolean {
    const newest = this.#revision;
    if (newest?.line !== line) return !this.#left.includes(line);
    return n > newest.n || (n === newest.n && !this.#shown);
  }

  /** Another URL is another response: what is newer there cannot be told from here. */
  #forget(url: string): void {
    this.#url = url;
    this.#revision = null;
    this.#shown = false;
    this.#left = [];
  }
}
