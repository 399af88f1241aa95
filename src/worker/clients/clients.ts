import type { Envelope } from '../../shared/guard.ts';
import type { CallInspection } from '../../shared/inspection.ts';
import { Page } from './page.ts';
import type { Services } from './services.ts';

/** Milliseconds between two looks at which pages are still there: well within the ten seconds of invariant 13. */
const ROLL_CALL = 4_000;

/** Whoever posts a message: a window client, or its like in tests. */
export interface Source {
  readonly id: string;
  postMessage(message: unknown, transfer: readonly object[]): void;
}

/** What the roster asks of the world. */
export interface ClientsPorts {
  readonly now: () => number;
  /** Whether the client of that id is still there. */
  readonly isPresent: (id: string) => Promise<boolean>;
}

/** The door: who is connected. A page is known from its first message on and forgotten with its client. */
export class Clients {
  readonly #ports: ClientsPorts;
  readonly #services: Services;
  readonly #pages = new Map<string, { readonly client: string; readonly page: Page }>();
  #callingRoll = false;

  constructor(services: Services, ports: ClientsPorts) {
    this.#services = services;
    this.#ports = ports;
  }

  /** Resolves when what the message started is done: the event is to be held so long. */
  async receive(source: Source, { offstage: session, message }: Envelope): Promise<void> {
    await this.#pageOf(source, session).receive(message);
  }

  inspect(): CallInspection[] {
    return [...this.#pages.values()].flatMap(({ page }) => page.inspect());
  }

  get size(): number {
    return this.#pages.size;
  }

  #pageOf(source: Source, session: string): Page {
    const name = `${source.id} ${session}`;
    const known = this.#pages.get(name);
    if (known) return known.page;
    const page = new Page(name, this.#services, this.#ports.now, (message, transfer) =>
      source.postMessage({ offstage: session, message }, transfer),
    );
    this.#pages.set(name, { client: source.id, page });
    void this.#callRoll();
    return page;
  }

  async #callRoll(): Promise<void> {
    if (this.#callingRoll) return;
    this.#callingRoll = true;
    while (this.#pages.size > 0) {
      await this.#services.sleep(ROLL_CALL);
      await this.#forgetTheGone();
    }
    this.#callingRoll = false;
  }

  async #forgetTheGone(): Promise<void> {
    for (const [name, { client, page }] of this.#pages) {
      // Whoever cannot be looked up is looked up again next time.
      if (await this.#ports.isPresent(client).catch(() => true)) continue;
      page.close();
      this.#pages.delete(name);
    }
  }
}
