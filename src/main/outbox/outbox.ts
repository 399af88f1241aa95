import type { Failure } from '../../shared/failure.ts';
import { essenceOf, headerValue } from '../../shared/header.ts';
import { IDENTITY_CHANGED } from '../../shared/identity.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isLeftOut } from '../../shared/outbox.ts';
import type {
  Decided,
  Decision,
  GivenId,
  OutboxCounts,
  OutboxPage,
  WriteReport,
} from '../../shared/outbox.ts';
import type { Command, Reply } from '../../shared/protocol.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { RestError } from '../error.ts';
import { PendingLoader } from '../optimistic/pending-loader.ts';
import type { PendingWrites } from '../optimistic/pending-writes.ts';
import { encodeBody, formDataOf } from '../resource/body.ts';
import type { RequestData } from '../resource/body.ts';
import { assertParams, encodeParams, isPlainObject } from '../resource/params.ts';
import type { InputParams } from '../resource/params.ts';
import { makeToken } from '../session/keepalive.ts';
import type { SessionOutbox } from '../session/session.ts';
import type { IdentityFollower } from '../session/signing.ts';
import { entryOf, responseOf, versionIn } from './entry.ts';
import type { OutboxEntry } from './entry.ts';
import { endOf, Followers, isFinal } from './followers.ts';
import { LanesInTurn } from './lanes-in-turn.ts';

/** Of how many writes the last end is remembered, so that it is told once: more than can wait. */
const REMEMBERED = 2 * LIMITS.waitingWrites;

const UNSEEN = "The server's version was not kept: retry() asks for it again";

/**
 * What an edit puts in the place of the write's own; what is left out stays. Data brings the Content-Type that `fetch` would give
 * it: none for a Blob without a type. Under JSON it is sent as JSON, an object in the place of a form with files as such a form, and a
 * string or a buffer keeps the type of the write.
 * Conditions of the action (`checks`) are not looked at.
 */
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
  /** What stood for the id of what the write has created; null where it creates nothing. */
  readonly temporaryId: string | null;
  /** That id, as the server has given it; null where there is none. */
  readonly id: GivenId | null;
  readonly #outbox: Outbox;
  readonly #isUnseen: boolean;

  constructor(type: string, write: WriteReport, outbox: Outbox) {
    super(type);
    this.entry = entryOf(write);
    this.response = responseOf(write);
    this.status = write.answer?.status ?? 0;
    [this.temporaryId, this.id] = [write.temporaryId, write.givenId];
    this.#outbox = outbox;
    this.#isUnseen = type === 'conflict' && write.answer !== null && isLeftOut(write.answer);
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

  /**
   * Sends this in its place. Rejects with code `outbox` also where the version of a conflict was not kept until now, and where
   * somebody has decided about it since: whoever has not seen its server's version would undo it.
   */
  async replace(data: RequestData): Promise<void> {
    if (this.#isUnseen) throw new RestError({ code: 'outbox', message: UNSEEN });
    return this.#outbox.edit(this.entry, { data });
  }

  /** It is never sent. Rejects with code `outbox` also where somebody has decided about it since, as in another tab. */
  discard(): Promise<void> {
    return this.#outbox.discard(this.entry);
  }
}

/** What the connection, and resources that queue writes, tell an outbox. */
export interface OutboxWires extends SessionOutbox, IdentityFollower {
  /** A call asks for this write to be queued; `forget`: it was not. */
  expect: (entry: string) => void;
  forget: (entry: string) => void;
  /**
   * Calls `hear` when somebody has to decide about the write, and when it is done, even if that was told before. Nothing follows
   * once it is done or discarded, or the signal aborts.
   */
  follow: (...follower: Parameters<Followers['follow']>) => void;
  /** The call was given up, and a worker may have queued it: it is discarded, by the next worker where the present one does not say so. */
  giveUp: (entry: string) => void;
  readonly lanes: LanesInTurn;
}

export interface OutboxPorts {
  /** What pages show of writes that wait. */
  readonly pending: PendingWrites;
  readonly request: (command: Command) => Promise<Reply>;
}

type OutboxListener = ((event: OutboxEvent) => void) | { handleEvent(event: OutboxEvent): void };

/**
 * The writes that wait for their server. Events, each once in every tab: `change`; `done`, `review`, `conflict`
 * and `renamed`, before `done`, where a server has named what a write has created (`OutboxEvent`).
 */
export class Outbox extends EventTarget {
  readonly #ports: OutboxPorts;
  readonly #followers = new Followers();
  /** The last end of each write that was told. */
  readonly #told = new RecentlyUsed<string, string>(REMEMBERED);
  readonly #loader: PendingLoader;
  /** Writes of calls that were given up, which no worker has said to have discarded. */
  readonly #givenUp = new Set<string>();
  /** Counts the users that have come. */
  #era = 0;
  #count = 0;
  #due = 0;
  #willTell = false;

  constructor(ports: OutboxPorts) {
    super();
    this.#ports = ports;
    this.#loader = new PendingLoader(ports.pending, (entries, isBrief) => this.#pages(entries, isBrief));
  }

  override addEventListener(
    type: 'done' | 'review' | 'conflict' | 'renamed',
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

  /**
   * All that wait, in the order of the queue. Rejects where the worker does not answer or its disk cannot be read, and with code
   * `identity-changed` where another user comes meanwhile.
   */
  async list(): Promise<readonly OutboxEntry[]> {
    return (await this.#all()).map(entryOf);
  }

  /** Sends a write as soon as those before it let it, whatever it waits for. Rejects where there is no such write. */
  retry(id: string): Promise<void> {
    return this.#decide(id, { kind: 'retry' });
  }

  /**
   * Changes what a write sends. It becomes another write to its server, under another key. Rejects where there is no such
   * write, or where its server may have it: then it has to be answered first. Given an entry, and not its id, also where somebody
   * has decided about the write since: its server may have another version by now. Where a conflict has come since, whose version that
   * entry does not show, the edit replaces no version: it comes to conflict, too.
   */
  edit(write: string | OutboxEntry, change: WriteChange): Promise<void> {
    return typeof write === 'string' ? this.#edit(write, change) : this.#edit(write.id, change, write);
  }

  async #edit(id: string, { params, data }: WriteChange, seen?: OutboxEntry): Promise<void> {
    assertParams(id, params);
    const before = data === undefined ? null : await this.#one(id);
    const type = headerValue(before?.headers ?? [], 'content-type');
    const isFields = essenceOf(type) === 'multipart/form-data' && isPlainObject(data);
    const given = isFields ? formDataOf(id, data) : data;
    const encoded = given === undefined ? null : await encodeBody(id, 'POST', given, type);
    // A text does not say what it is.
    const isSameType = type !== null && typeof data === 'string';
    return this.#decide(id, {
      kind: 'edit',
      key: makeToken(),
      params: params ? encodeParams(params) : null,
      body: encoded && encoded.body,
      contentType: encoded && !isSameType ? (encoded.contentType ?? typeOf(data)) : null,
      ...(seen && { ...versionIn(seen), isOfConflict: seen.state === 'conflict' }),
    });
  }

  /**
   * Never sends a write, unless it is on its way already. Rejects where there is no such write. Given an entry, and not its id, also
   * where somebody has decided about the write since: it may send something else by now.
   */
  discard(write: string | OutboxEntry): Promise<void> {
    return typeof write === 'string'
      ? this.#decide(write, { kind: 'discard' })
      : this.#decide(write.id, { kind: 'discard', ...versionIn(write) });
  }

  /** All that wait as JSON text: nothing in it is a secret. Bytes are left out. Rejects where `list` does. */
  async export(): Promise<string> {
    return JSON.stringify(await this.list(), null, 2);
  }

  /** What the connection, and resources that queue writes, tell it. */
  static wiresOf(outbox: Outbox): OutboxWires {
    return {
      expect: (entry) => outbox.#followers.expect(entry),
      forget: (entry) => outbox.#followers.forget(entry),
      follow: (...follower) => {
        const isOpen = outbox.#followers.follow(...follower);
        // Its worker may end before it has said how many wait.
        if (isOpen) outbox.#due ||= 1;
      },
      giveUp: (entry) => void outbox.#giveUp(entry),
      lanes: new LanesInTurn(),
      write: (write) => outbox.#hear(write),
      counts: (counts) => outbox.#counts(counts),
      live: () => outbox.#live(),
      isDue: () => outbox.#due > 0,
      empty: () => {
        outbox.#era += 1;
        outbox.#followers.empty();
        outbox.#givenUp.clear();
        outbox.#loader.empty();
        outbox.#ports.pending.empty();
        outbox.#counts({ waiting: 0, due: 0 });
      },
      // What waits is for its own user.
      endOf: () => {},
    };
  }

  #live(): void {
    this.#loader.renew();
    void this.#catchUp().catch(() => {});
    for (const entry of this.#givenUp) void this.#giveUp(entry);
  }

  /** Any answer shows that a worker has heard it, a refusal too. */
  async #giveUp(entry: string): Promise<void> {
    const era = this.#era;
    this.#givenUp.delete(entry);
    try {
      await this.#ports.request({ kind: 'decide', entry, decision: { kind: 'discard', isGivenUp: true } });
    } catch {
      // One that has heard it sends nothing of it. It may end before that is stored; the next one may be for another user.
      if (this.#era === era) this.#givenUp.add(entry);
    }
  }

  /** A worker has answered: what the one before has told of followed writes may have been lost with it. */
  async #catchUp(): Promise<void> {
    const { entries } = this.#followers;
    for (let first = 0; first < entries.length; first += LIMITS.calls) {
      const some = entries.slice(first, first + LIMITS.calls);
      const found = await this.#all(some);
      for (const write of found) this.#hear(write);
      const known = new Set(found.map(({ entry }) => entry));
      for (const entry of some) if (!known.has(entry)) this.#followers.forget(entry);
    }
  }

  #hear(write: WriteReport): void {
    this.#tellChange();
    const { entry, state } = write;
    const [end, told] = [endOf(write), this.#told.get(entry)];
    const isNews = end !== null && end !== told && !(told !== undefined && isFinal(told));
    if (isNews) this.#told.set(entry, end);
    // Before anything shows the id: an app may have named elements by what stood for it.
    if (isNews && write.givenId !== null) this.dispatchEvent(new OutboxEvent('renamed', write, this));
    this.#loader.hear(write);
    this.#followers.hear(write);
    if (isNews && state !== 'discarded') this.dispatchEvent(new OutboxEvent(state, write, this));
  }

  #counts({ waiting, due, restored = 0 }: OutboxCounts): void {
    [this.#count, this.#due] = [waiting, due];
    this.#loader.restored(restored);
    if (waiting > 0) this.#loader.load();
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
    for await (const page of this.#pages(entries, false)) all.push(...page);
    return all;
  }

  async *#pages(entries: readonly string[] | null, isBrief: boolean): AsyncGenerator<readonly WriteReport[]> {
    const era = this.#era;
    let after: number | null = null;
    do {
      const page: OutboxPage | null = pageIn(
        await this.#ports.request({ kind: 'list-outbox', after, entries, ...(isBrief && { isBrief }) }),
      );
      // Each part is of the user who is signed in as it is asked for.
      if (this.#era !== era) throw new RestError(IDENTITY_CHANGED);
      yield page?.entries ?? [];
      after = page?.next ?? null;
    } while (after !== null);
  }

  /** What has become of one write; null where no such write is known. */
  async #one(id: string): Promise<WriteReport | null> {
    const page = pageIn(await this.#ports.request({ kind: 'list-outbox', after: null, entries: [id] }));
    return page?.entries.find(({ entry }) => entry === id) ?? null;
  }

  async #decide(entry: string, decision: Decision): Promise<void> {
    const reply = await this.#ports.request({ kind: 'decide', entry, decision });
    const as = reply.kind === 'decided' ? reply.as : 'absent';
    if (as !== 'decided' && !(await this.#isMade(entry, decision))) throw new RestError(refusalOf(entry, as));
    if (decision.kind === 'discard') this.#followers.forget(entry);
  }

  /** A worker that has died before it said so may have made this edit, and sent what it made. */
  async #isMade(entry: string, decision: Decision): Promise<boolean> {
    return decision.kind === 'edit' && (await this.#one(entry))?.key === decision.key;
  }
}

/** A Blob without a type is sent without any; null for bytes, which do not say what they are. */
function typeOf(data: RequestData): '' | null {
  return data instanceof Blob ? '' : null;
}

const REFUSALS: Readonly<Record<Exclude<Decided, 'decided'>, (entry: string) => string>> = {
  absent: (entry) => `No write '${entry}' waits`,
  sent: (entry) => `Its server may have write '${entry}': it can be changed once that is known`,
  changed: (entry) =>
    `Somebody has decided about write '${entry}' since: the next event of it has what is known now`,
};

function refusalOf(entry: string, as: Exclude<Decided, 'decided'>): Failure {
  return { code: 'outbox', message: REFUSALS[as](entry) };
}

function pageIn(reply: Reply): OutboxPage | null {
  return reply.kind === 'outbox-page' ? reply.page : null;
}

/** Events of these types are OutboxEvents. */
function asEventListener(listener: unknown): EventListenerOrEventListenerObject | null;
function asEventListener(listener: unknown): unknown {
  return listener;
}
