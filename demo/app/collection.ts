import type { Loop, RestError, RestEvent } from 'offstage';
import type { OwnPart } from './account.ts';
import { isListing } from './photo.ts';
import type { Changed, Listing, Photo } from './photo.ts';
import { onServerAnswer, photos } from './resources.ts';

/** What the wall shows and how far it can be trusted. */
export interface CollectionState {
  readonly rows: readonly Photo[];
  /** How many there are in all, shown or not. */
  readonly total: number;
  readonly query: string;
  /** True while a user is signed in, so that photos can be asked for. */
  readonly begun: boolean;
  readonly loaded: boolean;
  /** Whether the network was asked in vain and this is what was known before. */
  readonly stale: boolean;
  /** When the server last said that it is so; milliseconds of the epoch. */
  readonly confirmedAt: number;
  /** Why the last question went wrong; null when it did not. */
  readonly error: RestError | null;
}

const PAGE = 48;

/** While what is shown is stale, ask again this often: a held long-poll says nothing when all is as before. */
const STALE_RETRY = 10_000;

/** The newest photos, kept current by one long-poll that all tabs share the worker of, and what a search finds. */
export class Collection implements OwnPart {
  #newest: Listing | null = null;
  #found: readonly Photo[] | null = null;
  #query = '';
  #size = PAGE;
  #stale = false;
  #confirmedAt = 0;
  /** The cursor up to which changes have been told. */
  #told = 0;
  #error: RestError | null = null;
  /** The invocation of the list whose answer counts: the last one. */
  #asked = 0;
  #asking = false;
  #live: Loop | null = null;
  #retry = 0;
  readonly #listeners = new Set<(state: CollectionState, changed: Changed | null) => void>();

  constructor() {
    photos.addListener('changesSuccess', (event) => this.#take(event));
    photos.addListener('changesError', (event) => this.#fail(event));
    photos.addListener('listSuccess', (event) => this.#answer(event));
    photos.addListener('listError', (event) => this.#fail(event));
    onServerAnswer(() => this.#serverIsBack());
  }

  /** Follows the list from now on. The long-poll goes first, so that nothing falls between it and the list. */
  begin(): void {
    this.#live = photos.longPoll('changes', { size: this.#size, since: 0 });
    this.reload();
    this.#tell(null);
  }

  end(): void {
    this.#live?.stop();
    clearTimeout(this.#retry);
    this.#live = this.#newest = this.#found = this.#error = null;
    this.#query = '';
    this.#size = PAGE;
    this.#stale = this.#asking = false;
    this.#confirmedAt = this.#told = this.#asked = 0;
    this.#tell(null);
  }

  /** Calls at once and at every change; `changed` says what a long-poll brought. */
  subscribe(listener: (state: CollectionState, changed: Changed | null) => void): void {
    this.#listeners.add(listener);
    listener(this.state, null);
  }

  get state(): CollectionState {
    const newest = this.#newest;
    return {
      rows: this.#query === '' ? (newest?.items ?? []) : (this.#found ?? this.#searchHere()),
      total: newest?.total ?? 0,
      query: this.#query,
      begun: this.#live !== null,
      loaded: newest !== null,
      stale: this.#stale,
      confirmedAt: this.#confirmedAt,
      error: this.#error,
    };
  }

  find(id: number): Photo | undefined {
    return (
      this.#newest?.items.find((photo) => photo.id === id) ?? this.#found?.find((photo) => photo.id === id)
    );
  }

  reload(): void {
    this.#asking = true;
    this.#asked = photos.list(
      this.#query === '' ? { size: this.#size } : { size: this.#size, q: this.#query },
    );
  }

  search(query: string): void {
    if (query === this.#query || !this.#live) return;
    this.#query = query;
    this.#found = null;
    this.reload();
    this.#tell(null);
  }

  more(): void {
    this.#live?.stop();
    this.#size += PAGE;
    this.#live = photos.longPoll('changes', { size: this.#size, since: 0 });
    this.reload();
  }

  #answer(event: RestEvent): void {
    if (event.id !== this.#asked) return;
    this.#asking = false;
    if (this.#query === '') return this.#take(event);
    if (!isListing(event.response)) return;
    this.#found = event.response.items;
    this.#error = null;
    this.#tell(null);
  }

  #take({ response, stale, age }: RestEvent): void {
    if (!this.#live || !isListing(response)) return;
    const newest = this.#newest;
    const ours = newest !== null && newest.origin === response.origin;
    if (ours && response.cursor < newest.cursor) return;
    const confirmedAt = Date.now() - age * 1_000;
    const again = ours && newest.cursor === response.cursor;
    this.#confirmedAt = again ? Math.max(confirmedAt, this.#confirmedAt) : confirmedAt;
    this.#newest = response;
    this.#stale = stale;
    this.#error = null;
    if (stale) this.#retryLater();
    if (this.#query !== '' && !again) this.reload();
    this.#tell(this.#newsIn(response, ours));
  }

  /** Of what was there before the page was, nothing is news; and what has been told is told once. */
  #newsIn({ cursor, changed }: Listing, ours: boolean): Changed | null {
    if (!ours) this.#told = cursor;
    if (!changed || cursor <= this.#told) return null;
    this.#told = cursor;
    return changed;
  }

  #fail({ id, action, error }: RestEvent): void {
    if (!this.#live) return;
    if (action === 'list') {
      if (id !== this.#asked) return;
      this.#asking = false;
    }
    if (error?.code === 'aborted') return;
    this.#error = error;
    this.#retryLater();
    this.#tell(null);
  }

  /** Anything that comes over the network says that the list can be asked for again. */
  #serverIsBack(): void {
    if (this.#asking || (!this.#stale && !this.#error)) return;
    this.#error = null;
    this.reload();
    this.#tell(null);
  }

  #retryLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      if (this.#stale || this.#error) this.reload();
    }, STALE_RETRY);
  }

  /** What is known already, for as long as the server has not answered a search. */
  #searchHere(): readonly Photo[] {
    const query = this.#query.toLowerCase();
    const rows = this.#newest?.items ?? [];
    return rows.filter(({ title, description }) => `${title} ${description}`.toLowerCase().includes(query));
  }

  #tell(changed: Changed | null): void {
    const { state } = this;
    for (const listener of this.#listeners) listener(state, changed);
  }
}
