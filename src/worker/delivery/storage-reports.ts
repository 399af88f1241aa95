import type { Delivery } from '../../shared/delivery.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { StorageNews } from '../contracts/storage-news.ts';
import type { Hub } from './hub.ts';

const FULL = 'The browser has no more room: stored answers are removed to make some';

/** Tells all pages what becomes of storage, and each page that comes later what is still so. */
export class StorageReports {
  readonly #hub: Pick<Hub, 'announce' | 'tell' | 'tellAll'>;
  #opened: Delivery | null = null;

  constructor(hub: Pick<Hub, 'announce' | 'tell' | 'tellAll'>) {
    this.#hub = hub;
  }

  take(news: StorageNews): void {
    switch (news.kind) {
      case 'memory':
        // That there is nothing but memory is so for good.
        return this.#hub.announce({ kind: 'storage', mode: 'memory', reason: news.reason });
      case 'opened':
        this.#opened = news;
        return this.#hub.tellAll(news);
      case 'full':
        return this.#hub.tellAll({ kind: 'storage', mode: 'indexeddb', reason: FULL });
      default:
        return unreachable(news);
    }
  }

  /** A page may know a database that was deleted while no worker was there to notice. */
  introduce(page: string): void {
    if (this.#opened) this.#hub.tell(page, this.#opened);
  }
}
