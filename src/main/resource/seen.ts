import { LIMITS } from '../../shared/limits.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { Notice } from './notice.ts';

/**
 * Which revision of each response a resource was last told. The worker compares an answer with what is stored, and
 * that may have been stored for another page: what is old news there is new to a page that has not heard of it.
 */
export class Seen {
  readonly #revisions = new Map<string, Revision>();

  /** The notice, with `changed` as it is for this page. */
  judge(notice: Notice): Notice {
    const { type, action, request, revision } = notice;
    if (type !== 'success' || revision === null) return notice;
    const key = `${action} ${request.url}`;
    const last = this.#revisions.get(key);
    this.#remember(key, revision);
    const isNews = last !== undefined && !isSameRevision(last, revision);
    return isNews && !notice.changed ? { ...notice, changed: true } : notice;
  }

  #remember(key: string, revision: Revision): void {
    this.#revisions.delete(key);
    this.#revisions.set(key, revision);
    const [oldest] = this.#revisions.keys();
    if (this.#revisions.size > LIMITS.results && oldest !== undefined) this.#revisions.delete(oldest);
  }
}
