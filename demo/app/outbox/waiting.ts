import type { Connection, OutboxEvent } from 'offstage';
import type { OwnPart } from '../account.ts';
import { announce } from '../announce.ts';
import type { Collection } from '../collection.ts';
import { isRecord } from '../photo.ts';
import type { Photo, PhotoId } from '../photo.ts';
import { photos } from '../resources.ts';
import { newPhoto } from '../shown-at-once.ts';
import { nameOf, readWrite, summaryOf } from './waiting-write.ts';
import type { WaitingWrite } from './waiting-write.ts';

/** Milliseconds that a form waits for the answer, before it says that the change waits. */
const PATIENCE = 2_000;

/** A write that is answered within so many milliseconds is not shown as waiting: it would only flicker. */
const MOMENT = 500;

/** Ends that are remembered for the form that has asked. */
const REMEMBERED = 50;

/** What has become of a write while somebody waited for it. */
export type Settled =
  | { readonly kind: 'done'; readonly response: unknown }
  /** It is kept on this device. */
  | { readonly kind: 'waits' }
  | { readonly kind: 'refused'; readonly event: OutboxEvent };

type Outbox = Connection['outbox'];
type Listener = (writes: readonly WaitingWrite[]) => void;

/** The changes that wait for the server, as far as they are worth showing. */
export class Waiting implements OwnPart {
  readonly outbox: Outbox;
  readonly #collection: Collection;
  readonly #listeners = new Set<Listener>();
  readonly #ends = new Map<string, OutboxEvent>();
  readonly #askers = new Map<string, (event: OutboxEvent) => void>();
  #all: readonly WaitingWrite[] = [];
  #shown: readonly WaitingWrite[] = [];
  #begun = false;
  #read: Promise<void> | null = null;
  #again = false;
  #timer = 0;

  constructor({ outbox }: Connection, collection: Collection) {
    this.outbox = outbox;
    this.#collection = collection;
    outbox.addEventListener('change', () => void this.#follow());
    for (const type of ['done', 'review', 'conflict'] as const)
      outbox.addEventListener(type, (event) => this.#hear(event));
    for (const type of ['online', 'offline']) addEventListener(type, () => this.#show());
  }

  begin(): void {
    this.#begun = true;
    void this.#follow();
  }

  /** What waits is its user's, and goes on when that user is back. */
  end(): void {
    this.#begun = false;
    this.#all = [];
    this.#ends.clear();
    this.#show();
  }

  /** Calls at once and at every change. */
  subscribe(listener: Listener): void {
    this.#listeners.add(listener);
    listener(this.#shown);
  }

  /** All that is shown, in the order of the queue. */
  get writes(): readonly WaitingWrite[] {
    return this.#shown;
  }

  /** What waits for one photo. */
  of(id: PhotoId): readonly WaitingWrite[] {
    return this.#shown.filter(({ photo }) => photo === id);
  }

  /** Resolves once it is known what waits. */
  async load(): Promise<readonly WaitingWrite[]> {
    await this.#follow();
    return this.#all;
  }

  nameOf(write: WaitingWrite): string {
    return nameOf(write, this.before(write.photo));
  }

  /** The photo before what waits to change it: as the server has it, and a new one as it is to be sent. */
  before(id: PhotoId): Photo | null {
    const made = this.#all.find(({ kind, photo }) => kind === 'create' && photo === id)?.entry;
    return this.#collection.onServer(id) ?? (made ? newPhoto(made) : null);
  }

  /** What the server said to refuse a write; null where this page has not heard it. */
  saidOf(write: WaitingWrite): string | null {
    const said = this.#answerTo(write)['detail'];
    return typeof said === 'string' ? said : null;
  }

  /** What the server had in its place; null where this page has not heard it. */
  currentOf(write: WaitingWrite): unknown {
    return this.#answerTo(write)['current'] ?? null;
  }

  #answerTo({ entry }: WaitingWrite): Readonly<Record<string, unknown>> {
    const response = this.#ends.get(entry.id)?.response;
    return isRecord(response) ? response : {};
  }

  /**
   * Waits until the call is answered, but not for long: it is safe on this device by then. Where nothing can be kept, its
   * answer is waited for as for any other. Rejects where the call fails then.
   */
  async settle(call: number): Promise<Settled> {
    const response: unknown = await photos.result(call);
    const id = queuedAs(response);
    if (id === null) return { kind: 'done', response };
    const event = await this.#endOf(id);
    if (!event) return { kind: 'waits' };
    return event.type === 'done' ? { kind: 'done', response: event.response } : { kind: 'refused', event };
  }

  #endOf(id: string): Promise<OutboxEvent | null> {
    const known = this.#ends.get(id);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => {
      const settle = (event: OutboxEvent | null): void => {
        clearTimeout(timer);
        this.#askers.delete(id);
        resolve(event);
      };
      // Nobody waits for what cannot come.
      const timer = setTimeout(() => settle(null), navigator.onLine ? PATIENCE : 0);
      this.#askers.set(id, settle);
    });
  }

  #hear(event: OutboxEvent): void {
    const { id } = event.entry;
    this.#ends.delete(id);
    this.#ends.set(id, event);
    for (const old of [...this.#ends.keys()].slice(0, -REMEMBERED)) this.#ends.delete(old);
    const asker = this.#askers.get(id);
    // The form says it itself.
    if (asker) asker(event);
    else this.#announce(event);
  }

  #announce({ type, entry }: OutboxEvent): void {
    const write = readWrite(entry);
    if (!this.#begun || !write) return;
    const name = this.nameOf(write);
    if (type === 'done') announce(`Done: ${name}.`);
    else announce(`${name} needs your decision: open the outbox.`);
  }

  /** Asks what waits; what changes meanwhile is asked for once more. */
  #follow(): Promise<void> {
    this.#again = true;
    this.#read ??= this.#readAll().finally(() => {
      this.#read = null;
    });
    return this.#read;
  }

  async #readAll(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      // A worker that does not answer now says when it does.
      const entries = await this.outbox.list().catch(() => null);
      if (!entries || !this.#begun) continue;
      this.#all = entries.map((entry) => readWrite(entry)).filter((write) => write !== null);
      this.#show();
    }
  }

  #show(): void {
    clearTimeout(this.#timer);
    const now = Date.now();
    const isNew = ({ entry: { state, queuedAt } }: WaitingWrite): boolean =>
      (state === 'queued' || state === 'sending') && now - queuedAt < MOMENT && navigator.onLine;
    const before = this.#shown;
    this.#shown = this.#all.filter((write) => !isNew(write));
    if (this.#shown.length < this.#all.length) this.#timer = setTimeout(() => this.#show(), MOMENT);
    if (this.#shown.length > before.length) announce(summaryOf(this.#shown));
    for (const listener of this.#listeners) listener(this.#shown);
  }
}

/** The name of the write that a call was queued as; null where it was answered at once. */
function queuedAs(response: unknown): string | null {
  if (!isRecord(response) || response['kind'] !== 'queued') return null;
  const { entry } = response;
  return isRecord(entry) && typeof entry['id'] === 'string' ? entry['id'] : null;
}
