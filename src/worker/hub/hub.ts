import { DELIVERED_SINCE, OLDEST_PROTOCOL, PATCHES_SINCE, PLACES_SINCE } from '../../shared/protocol.ts';
import type { Delivered, Delivery } from '../../shared/protocol.ts';
import { Mailbox } from './mailbox.ts';
import type { Line } from './mailbox.ts';

/** The door: whom the worker tells, and how. A page is named by its session. */
export class Hub {
  readonly #mailboxes = new Map<string, Mailbox>();
  /** What each page speaks; one that has not greeted may speak as little as the oldest. */
  readonly #protocols = new Map<string, number>();
  readonly #life: string;
  #opened = 0;

  /** `life` names this life of the worker. */
  constructor(life: string) {
    this.#life = life;
  }

  open(page: string, line: Line): void {
    this.#opened += 1;
    this.#mailboxes.set(page, new Mailbox(`${this.#life} ${this.#opened}`, line));
  }

  /** The page speaks this protocol: it is not told what is beyond that. */
  speak(page: string, protocol: number): void {
    this.#protocols.set(page, protocol);
    const mailbox = this.#mailboxes.get(page);
    if (mailbox) mailbox.watched = protocol >= PLACES_SINCE;
  }

  /** The page comes back from where messages did not reach it. */
  resend(page: string): void {
    this.#mailboxes.get(page)?.resend();
  }

  close(page: string): void {
    this.#mailboxes.get(page)?.close();
    this.#mailboxes.delete(page);
    this.#protocols.delete(page);
  }

  /** Whatever waits for a page is on its way, though the page may not have taken the rest; resolves when it has. */
  async flush(page: string): Promise<void> {
    await this.#mailboxes.get(page)?.flush();
  }

  /** `taken` is called when the page has it. */
  tell(page: string, delivery: Delivery, taken?: () => void): void {
    if (!this.#understands(page, delivery)) return;
    this.#mailboxes.get(page)?.put(delivery, stateOf(delivery), taken);
  }

  /** Has what the page is told wait, to be told another way: see `Mailbox.collect`. */
  collect(page: string): () => readonly Delivered[] {
    return this.#mailboxes.get(page)?.collect() ?? (() => []);
  }

  /** Tells what is made only when it is sent; one of the same name that still waits is not sent. */
  publish(page: string, make: () => Delivery, name: string | null): void {
    this.#mailboxes.get(page)?.put(make, name);
  }

  /** Whether the page's protocol has bodies that are not parsed. */
  takesPatches(page: string): boolean {
    return this.#protocolOf(page) >= PATCHES_SINCE;
  }

  tellAll(delivery: Delivery): void {
    for (const page of this.#mailboxes.keys()) this.tell(page, delivery);
  }

  #understands(page: string, { kind }: Delivery): boolean {
    return this.#protocolOf(page) >= DELIVERED_SINCE[kind];
  }

  #protocolOf(page: string): number {
    return this.#protocols.get(page) ?? OLDEST_PROTOCOL;
  }
}

/** Of progress and of what is known of an origin only the newest counts. Every answer is told. */
function stateOf(delivery: Delivery): string | null {
  switch (delivery.kind) {
    case 'progress':
      return `progress ${JSON.stringify(delivery.to)}`;
    case 'origin':
      return `origin ${delivery.origin}`;
    default:
      return null;
  }
}
