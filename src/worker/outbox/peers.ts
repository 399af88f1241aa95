import type { Delivery } from '../../shared/delivery.ts';
import { isRecord } from '../../shared/shape.ts';
import type { PeerChannel } from '../platform/system.ts';

/** What pages are told of an outbox. */
export type OutboxNews = Extract<Delivery, { readonly kind: 'write' | 'outbox' }>;

export interface PeersPorts {
  /** Another engine has added a write, or decided about one. */
  readonly look: () => void;
  /** The engine that acts has told its pages. */
  readonly told: (news: OutboxNews) => void;
}

/**
 * The other engines with the same outbox: those of tabs without a service worker, or of a tab that is about to move to one. One
 * of them sends; the pages of all hear what becomes of it.
 */
export class Peers {
  readonly #open: () => PeerChannel | null;
  readonly #ports: PeersPorts;
  #channel: PeerChannel | null = null;
  #isOver = false;

  constructor(open: () => PeerChannel | null, ports: PeersPorts) {
    this.#open = open;
    this.#ports = ports;
  }

  /** Nothing is heard before. */
  open(): void {
    if (this.#channel || this.#isOver) return;
    this.#channel = this.#open();
    this.#channel?.hear((message) => this.#hear(message));
  }

  /** A write was added, or somebody has decided about one. */
  look(): void {
    this.#channel?.post({ kind: 'look' });
  }

  tell(news: readonly OutboxNews[]): void {
    this.#channel?.post({ kind: 'told', news });
  }

  close(): void {
    this.#isOver = true;
    this.#channel?.close();
    this.#channel = null;
  }

  #hear(message: unknown): void {
    if (!isRecord(message)) return;
    const { kind, news } = message;
    if (kind === 'look') this.#ports.look();
    else if (kind === 'told' && Array.isArray(news))
      for (const each of news.filter(isNews)) this.#ports.told(each);
  }
}

/** Only engines of this origin have that line. */
function isNews(news: unknown): news is OutboxNews {
  return isRecord(news) && (news['kind'] === 'write' || news['kind'] === 'outbox');
}
