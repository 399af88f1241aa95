import type { Delivery } from '../../shared/delivery.ts';
import { sizeOfRequestBody } from '../../shared/invocation.ts';
import type { Deliveries } from '../contracts/engine-request.ts';
import { Mailbox } from './mailbox.ts';
import type { Carrier, PageTransport } from './mailbox.ts';
import { LARGE, Turns } from './turns.ts';
import type { Later, TurnsPorts } from './turns.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { StorageNews } from '../contracts/root-store.ts';

/** Describes a delivery before it is made: the tick of a loop, or the answer to a call, which waits for no turn. */
export type Published =
  | ({ readonly kind: 'tick' } & Pick<Later, 'name' | 'loop' | 'url' | 'size'>)
  /** `url` is what was asked; null where nothing was. `name` is as for a tick; null where it replaces nothing. */
  | { readonly kind: 'answer'; readonly url: string | null; readonly name: string | null };

/** Delivers to every page through its mailbox, large bodies in turns. A page is named by its session. */
export class Hub {
  readonly #transports = new Map<string, PageTransport>();
  readonly #mailboxes = new Map<string, Mailbox>();
  readonly #instance: string;
  readonly #hidden = new Set<string>();
  /** Pages that have not said that they are for the present identity. */
  readonly #strangers = new Set<string>();
  readonly #announcements: Delivery[] = [];
  /** How many of them each page was told. */
  readonly #introduced = new Map<string, number>();
  readonly #turns: Turns;
  #opened = 0;

  /** `instance` names the worker instance; `sleep` is that of its clock. */
  constructor(instance: string, sleep: TurnsPorts['sleep']) {
    this.#instance = instance;
    this.#turns = new Turns({ isHidden: (page) => this.#hidden.has(page), sleep });
  }

  open(page: string, transport: PageTransport): void {
    this.#transports.set(page, transport);
    this.#strangers.add(page);
    this.renew(page);
  }

  /** Drops what a page was to be told: it was for another identity. */
  renew(page: string): void {
    const transport = this.#transports.get(page);
    if (!transport) return;
    this.#mailboxes.get(page)?.close();
    this.#turns.release(page);
    this.#opened += 1;
    this.#mailboxes.set(page, new Mailbox(`${this.#instance} ${this.#opened}`, transport));
  }

  /** The page is shown or hidden. Visible pages have their turn first. */
  setHidden(page: string, hidden: boolean): void {
    if (hidden) this.#hidden.add(page);
    else this.#hidden.delete(page);
  }

  /** Sends again what a page may have missed. Returns the calls whose answers cannot be sent again. */
  resend(page: string): readonly number[] {
    return this.#mailboxes.get(page)?.resend() ?? [];
  }

  close(page: string): void {
    this.#mailboxes.get(page)?.close();
    this.#mailboxes.delete(page);
    this.#transports.delete(page);
    this.#hidden.delete(page);
    this.#strangers.delete(page);
    this.#introduced.delete(page);
    this.#turns.release(page);
  }

  /** Sends everything that waits for a page now. Resolves when the page has taken it. */
  async flush(page: string): Promise<void> {
    for (const { tell } of this.#turns.release(page)) tell(() => {});
    await this.#mailboxes.get(page)?.flush();
  }

  /** `taken` is called when the page has taken it. */
  tell(page: string, delivery: Delivery, taken?: () => void): void {
    const loop = loopOf(delivery);
    const name = stateOf(delivery);
    const tell = (): void => {
      const mailbox = this.#mailboxes.get(page);
      mailbox?.put(fitting(delivery, mailbox), name, taken);
    };
    if (loop !== null && this.#turns.holds(page, loop, null))
      this.#turns.wait(page, { loop, url: null, name, size: none, tell });
    else tell();
  }

  /** Has the next small deliveries go by a carrier: see `Mailbox.carry`. */
  carry(page: string, carrier: Carrier): (() => boolean) | null {
    return this.#mailboxes.get(page)?.carry(carrier) ?? null;
  }

  /** Makes the delivery when it is sent. One of the same name replaces it until then; `read`: the page has it. */
  publish(page: string, make: () => Deliveries, about: Published, read?: () => void): void {
    const mailbox = this.#mailboxes.get(page);
    if (!mailbox) return;
    if (about.kind === 'answer') {
      this.#hurry(page, about.url);
      mailbox.put(make, about.name, null, read);
      return;
    }
    const tell = (taken?: () => void): void => mailbox.put(make, about.name, taken, read);
    if (about.size() >= LARGE || this.#turns.holds(page, about.loop, about.url))
      this.#turns.wait(page, { ...about, tell });
    else tell();
  }

  /** A page hears of one URL in the order of asking: what waits for its turn goes before the answer to a call. */
  #hurry(page: string, url: string | null): void {
    if (url === null) return;
    for (const { tell } of this.#turns.hurry(page, url)) tell(() => {});
  }

  tellAll(delivery: Delivery): void {
    for (const page of this.#mailboxes.keys()) this.tell(page, delivery);
  }

  /** Whether the page has said that it is for the present identity. */
  recognize(page: string, isKnown: boolean): void {
    if (isKnown) this.#strangers.delete(page);
    else this.#strangers.add(page);
  }

  /** Another identity has come, and every page is told which. */
  recognizeAll(): void {
    this.#strangers.clear();
  }

  isStranger(page: string): boolean {
    return this.#strangers.has(page);
  }

  /** True where pages are there, of which none has said that it is for the present identity. */
  get hasStrangersAlone(): boolean {
    return this.#strangers.size > 0 && this.#strangers.size >= this.#mailboxes.size;
  }

  /** Tells every page that is for the present identity. */
  tellKnown(delivery: Delivery): void {
    for (const page of this.#mailboxes.keys()) if (!this.#strangers.has(page)) this.tell(page, delivery);
  }

  /** Tells every page, and each that comes later. */
  announce(delivery: Delivery): void {
    this.#announcements.push(delivery);
    for (const page of this.#mailboxes.keys()) this.introduce(page);
  }

  /** Tells a page what was announced before it came. */
  introduce(page: string): void {
    const told = this.#introduced.get(page) ?? 0;
    this.#introduced.set(page, this.#announcements.length);
    for (const delivery of this.#announcements.slice(told)) this.tell(page, delivery);
  }
}

function loopOf(delivery: Delivery): number | null {
  if ('to' in delivery) return 'loop' in delivery.to ? delivery.to.loop : null;
  return 'loop' in delivery ? delivery.loop : null;
}

function none(): number {
  return 0;
}

/**
 * The most that a page is still to be told of what writes send, in bytes. A frozen page takes nothing: what others queue would add up
 * without end.
 */
const MOST_DATA = 262_144;

function fitting(delivery: Delivery, mailbox: Pick<Mailbox, 'weigh'>): Delivery {
  const size = dataIn(delivery);
  if (delivery.kind !== 'write' || size === 0 || mailbox.weigh(dataIn) + size <= MOST_DATA) return delivery;
  return { ...delivery, write: { ...delivery.write, body: null } };
}

/** Bytes of what a write sends. */
function dataIn(delivery: Deliveries): number {
  return 'kind' in delivery && delivery.kind === 'write' && delivery.write.body
    ? sizeOfRequestBody(delivery.write.body)
    : 0;
}

/** Names a delivery of which only the newest counts while it waits; null for one that always goes. */
function stateOf(delivery: Delivery): string | null {
  switch (delivery.kind) {
    case 'sent':
    case 'progress':
      return `${delivery.kind} ${JSON.stringify(delivery.to)}`;
    case 'ticking':
      return `ticking ${delivery.loop}`;
    case 'origin':
      return `origin ${delivery.origin}`;
    case 'outbox':
      return 'outbox';
    default:
      return null;
  }
}

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
