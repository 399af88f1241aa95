import type { Decision, OutboxCounts, OutboxPage, WriteReport } from '../../shared/outbox.ts';
import type { Command, Reply } from '../../shared/protocol.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { RestError } from '../error.ts';
import { encodeBody } from '../resource/body.ts';
import type { RequestData } from '../resource/body.ts';
import { assertParams, encodeParams } from '../resource/params.ts';
import type { InputParams } from '../resource/params.ts';
import { makeToken } from '../session/keepalive.ts';
import type { SessionOutbox } from '../session/session.ts';
import type { IdentityFollower } from '../session/signing.ts';
import { entryOf, responseOf } from './entry.ts';
import type { OutboxEntry } from './entry.ts';

/** How many ends are remembered, so that each is told once. */
const REMEMBERED = 1_000;

/** What an edit puts in the place of the write's own; what is left out stays. */
export interface WriteChange {
  readonly params?: InputParams;
  readonly data?: RequestData;
}

/** What has become of a write: it is done, or somebody has to decide about it. */
export class OutboxEvent extends Event {
  readonly entry: OutboxEntry;
  /** What the server said: the parsed body, a Blob for bytes; null for none. */
  readonly response: unknown;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  readonly #outbox: Outbox;

  constructor(type: string, write: WriteReport, outbox: Outbox) {
    super(type);
    this.entry = entryOf(write);
    this.response = responseOf(write);
    this.status = write.answer?.status ?? 0;
    this.#outbox = outbox;
  }

  /** Of a conflict, the server's version, as far as its answer has it. */
  get server(): unknown {
    return this.response;
  }

  /** Of a conflict, what the write was to send. */
  get mine(): unknown {
    return this.entry.data;
  }

  /** Sends it again as it is. */
  retry(): Promise<void> {
    return this.#outbox.retry(this.entry.id);
  }

  /** Sends this in its place. */
  replace(data: RequestData): Promise<void> {
    return this.#outbox.edit(this.entry.id, { data });
  }

  discard(): Promise<void> {
    return this.#outbox.discard(this.entry.id);
  }
}

/** What the connection, and resources that queue writes, tell an outbox. */
export interface OutboxWires extends SessionOutbox, IdentityFollower {
  /** Calls `hear` when somebody has to decide about the write, or it is done: it hears no more of that one then. */
  follow(entry: string, hear: (write: WriteReport) => void): void;
}

export interface OutboxPorts {
  readonly request: (command: Command) => Promise<Reply>;
}

type OutboxListener = ((event: OutboxEvent) => void) | { handleEvent(event: OutboxEvent): void };

/**
 * The writes that wait for their server. Events, each once in every tab: `change`; `done`, `review` and `conflict`
 * (`OutboxEvent`).
 */
export class Outbox extends EventTarget {
  readonly #ports: OutboxPorts;
  readonly #followers = new Map<string, (write: WriteReport) => void>();
  readonly #told = new RecentlyUsed<string, true>(REMEMBERED, () => 1);
  #count = 0;
  #due = 0;
  #willTell = false;

  constructor(ports: OutboxPorts) {
    super();
    this.#ports = ports;
  }

  override addEventListener(
    type: 'done' | 'review' | 'conflict',
    listener: OutboxListener | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  override addEventListener(
    type: string,
    listener: OutboxListener | EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void {
    super.addEventListener(type, asEventListener(listener), options);
  }

  /** How many writes wait, those that wait for a decision among them. */
  get count(): number {
    return this.#count;
  }

  /** All that wait, in the order of the queue. Rejects where the worker does not answer. */
  async list(): Promise<readonly OutboxEntry[]> {
    return (await this.#all()).map(entryOf);
  }

  /** Sends a write as soon as those before it let it, whatever it waits for. Rejects where there is no such write. */
  retry(id: string): Promise<void> {
    return this.#decide(id, { kind: 'retry' });
  }

  /**
   * Changes what a write sends. It becomes another write to its server, under another key. Rejects where there is no such
   * write, or where its server may have it: then it has to be answered first.
   */
  async edit(id: string, change: WriteChange): Promise<void> {
    const { params, data } = change;
    assertParams(id, params);
    const before = data === undefined ? undefined : (await this.#all()).find(({ entry }) => entry === id);
    const contentType = before?.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null;
    const encoded = data === undefined ? null : await encodeBody(id, 'POST', data, contentType);
    return this.#decide(id, {
      kind: 'edit',
      key: makeToken(),
      params: params ? encodeParams(params) : null,
      body: encoded && encoded.body,
      contentType: encoded && contentType === null ? encoded.contentType : null,
    });
  }

  /** Never sends a write, unless it is on its way already. Rejects where there is no such write. */
  discard(id: string): Promise<void> {
    return this.#decide(id, { kind: 'discard' });
  }

  /** All that wait as JSON text: nothing in it is a secret. Bytes are left out. */
  async export(): Promise<string> {
    return JSON.stringify(await this.list(), null, 2);
  }

  /** What the connection, and resources that queue writes, tell it. */
  static wiresOf(outbox: Outbox): OutboxWires {
    return {
      follow: (entry, hear) => void outbox.#followers.set(entry, hear),
      write: (write) => outbox.#hear(write),
      counts: (counts) => outbox.#counts(counts),
      live: () => void outbox.#catchUp().catch(() => {}),
      isDue: () => outbox.#due > 0,
      empty: () => {
        outbox.#followers.clear();
        outbox.#counts({ waiting: 0, due: 0 });
      },
      // What waits is for its own user.
      endOf: () => {},
    };
  }

  /** A worker has answered: what the one before has told of followed writes may have been lost with it. */
  async #catchUp(): Promise<void> {
    const entries = [...this.#followers.keys()];
    for (let first = 0; first < entries.length; first += REMEMBERED) {
      const some = entries.slice(first, first + REMEMBERED);
      const found = await this.#all(some);
      for (const write of found) this.#hear(write);
      const known = new Set(found.map(({ entry }) => entry));
      for (const entry of some) if (!known.has(entry)) this.#followers.delete(entry);
    }
  }

  #hear(write: WriteReport): void {
    const { entry, state, attempts, key } = write;
    this.#tellChange();
    if (state !== 'done' && state !== 'review' && state !== 'conflict') return;
    const what = state === 'done' ? entry : `${entry} ${key} ${attempts}`;
    if (this.#told.get(what)) return;
    this.#told.set(what, true);
    this.#followers.get(entry)?.(write);
    if (state === 'done') this.#followers.delete(entry);
    this.dispatchEvent(new OutboxEvent(state, write, this));
  }

  #counts({ waiting, due }: OutboxCounts): void {
    [this.#count, this.#due] = [waiting, due];
    this.#tellChange();
  }

  /** Once for all that comes in one turn. */
  #tellChange(): void {
    if (this.#willTell) return;
    this.#willTell = true;
    queueMicrotask(() => {
      this.#willTell = false;
      this.dispatchEvent(new Event('change'));
    });
  }

  async #all(entries: readonly string[] | null = null): Promise<WriteReport[]> {
    const all: WriteReport[] = [];
    for (let after: number | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const page: OutboxPage | null = pageIn(
        await this.#ports.request({ kind: 'list-outbox', after, entries }),
      );
      all.push(...(page?.entries ?? []));
      after = page?.next ?? null;
    }
    return all;
  }

  async #decide(entry: string, decision: Decision): Promise<void> {
    const reply = await this.#ports.request({ kind: 'decide', entry, decision });
    const as = reply.kind === 'decided' ? reply.as : 'absent';
    if (as === 'decided') return;
    const message =
      as === 'absent'
        ? `No write '${entry}' waits`
        : `Its server may have write '${entry}': it can be changed once that is known`;
    throw new RestError({ code: 'outbox', message });
  }
}

function pageIn(reply: Reply): OutboxPage | null {
  return reply.kind === 'outbox-page' ? reply.page : null;
}

/** Events of these types are OutboxEvents. */
function asEventListener(listener: unknown): EventListenerOrEventListenerObject | null;
function asEventListener(listener: unknown): unknown {
  return listener;
}
