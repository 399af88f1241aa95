import { isYoungerLine } from '../../shared/line.ts';
import type { Revision } from '../../shared/outcome.ts';

/**
 * Tells news from what comes late or twice: of one line the higher number is the newer, of two lines the younger, and
 * an older one is never returned to (invariant 8). Answers that are not stored have no revision and are always news.
 */
export class Newest {
  #url = '';
  #revision: Revision | null = null;
  /** Whether the newest revision is what was taken last. */
  #shown = false;

  /** Whether to show it; what is shown is remembered. */
  take(url: string, revision: Revision | null): boolean {
    if (url !== this.#url) this.#revision = null;
    this.#url = url;
    if (revision !== null && !this.#isNews(revision)) return false;
    this.#revision = revision ?? this.#revision;
    this.#shown = revision !== null;
    return true;
  }

  #isNews({ line, n }: Revision): boolean {
    const newest = this.#revision;
    if (newest === null) return true;
    if (newest.line !== line) return isYoungerLine(line, newest.line);
    return n > newest.n || (n === newest.n && !this.#shown);
  }
}
