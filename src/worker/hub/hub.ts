import type { Delivery } from '../../shared/protocol.ts';
import { Mailbox } from './mailbox.ts';
import type { Deliver } from './mailbox.ts';

/** The door: whom the worker tells, and how. A page is named by its session. */
export class Hub {
  readonly #mailboxes = new Map<string, Mailbox>();
  readonly #life: string;
  #opened = 0;

  /** `life` names this life of the worker. */
  constructor(life: string) {
    this.#life = life;
  }

  open(page: string, deliver: Deliver): void {
    this.#opened += 1;
    this.#mailboxes.set(page, new Mailbox(`${this.#life} ${this.#opened}`, deliver));
  }

  /** The page comes back from where messages did not reach it. */
  resend(page: string): void {
    this.#mailboxes.get(page)?.resend();
  }

  close(page: string): void {
    this.#mailboxes.get(page)?.close();
    this.#mailboxes.delete(page);
  }

  /** Whatever waits for a page is on its way, though the page may not have taken the rest; resolves when it has. */
  async flush(page: string): Promise<void> {
    await this.#mailboxes.get(page)?.flush();
  }

  tell(page: string, delivery: Delivery): void {
    this.#mailboxes.get(page)?.put(delivery, stateOf(delivery));
  }

  tellAll(delivery: Delivery): void {
    for (const mailbox of this.#mailboxes.values()) mailbox.put(delivery, stateOf(delivery));
  }
}

/** Progress is a state: only the newest counts. Every answer is told. */
function stateOf(delivery: Delivery): string | null {
  return delivery.kind === 'progress' ? `progress ${JSON.stringify(delivery.to)}` : null;
}
