import type { Loop, Query, RestError, RestEvent } from 'offstage';
import type { OwnPart } from './account.ts';
import { isFoundBy, isListing } from './photo.ts';
import type { Listing, Photo, PhotoId } from './photo.ts';
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

type Listener = (state: CollectionState) => void;

/** A query that is watched. */
interface Watched {
  readonly query: Query;
  readonly leave: () => void;
}

const PAGE = 48;

/**
 * The newest photos, and what a search finds: two queries, which show what waits for the server as if it were done. One
 * long-poll, which all tabs share the worker of, says when to ask again.
 */
export class Collection implements OwnPart {
  readonly #listeners = new Set<Listener>();
  /** The photos as the server has told them last, without what waits. */
  readonly #onServer = new Map<PhotoId, Photo>();
  #newest: Watched | null = null;
  /** Null where nothing is searched. */
  #found: Watched | null = null;
  /** What was shown before more was asked for. */
  #before: Listing | null = null;
  #search = '';
  #size = PAGE;
  #live: Loop | null = null;
  /** What the long-poll told last. */
  #told: Listing | null = null;
  /** The last answer of the list. What is shown may be older: an answer that comes while a change is being sent waits. */
  #listed: Listing | null = null;
  #confirmedAt = 0;
  /** Why the long-poll was not answered. */
  #error: RestError | null = null;
  #willTell = false;

  constructor() {
    photos.addListener('changesSuccess', (event) => this.#hear(event));
    photos.addListener('changesError', ({ error }) => this.#fail(error));
    photos.addListener('listSuccess', (event) => this.#note(event));
    onServerAnswer(({ action }) => {
      if (action !== 'list') this.#serverIsBack();
    });
  }

  /** Follows the list from now on. The long-poll goes first, so that nothing falls between it and the list. */
  begin(): void {
    this.#live = photos.longPoll('changes', { size: 1, since: 0 });
    this.#ask();
  }

  end(): void {
    this.#live?.stop();
    for (const watched of [this.#newest, this.#found]) watched?.leave();
    this.#live = this.#newest = this.#found = this.#error = null;
    this.#before = this.#told = this.#listed = null;
    this.#search = '';
    this.#size = PAGE;
    this.#confirmedAt = 0;
    this.#onServer.clear();
    this.#tell();
  }

  /** Calls at once and at every change. */
  subscribe(listener: Listener): void {
    this.#listeners.add(listener);
    listener(this.state);
  }

  get state(): CollectionState {
    const newest = this.#shown;
    const snapshot = this.#newest?.query.snapshot;
    return {
      rows: this.#search === '' ? (newest?.items ?? []) : this.#matching,
      total: newest?.total ?? 0,
      query: this.#search,
      begun: this.#live !== null,
      loaded: newest !== null,
      stale: snapshot?.stale ?? false,
      confirmedAt: Math.max(snapshot?.answeredAt ?? 0, this.#confirmedAt),
      error: snapshot?.error ?? this.#error,
    };
  }

  /** The photo as it is shown. */
  find(id: PhotoId): Photo | undefined {
    const all = [...(this.#shown?.items ?? []), ...(listingOf(this.#found)?.items ?? [])];
    return all.find((photo) => photo.id === id);
  }

  /** The photo as the server has it. */
  onServer(id: PhotoId): Photo | undefined {
    return this.#onServer.get(id);
  }

  search(query: string): void {
    if (query === this.#search || !this.#live) return;
    this.#search = query;
    this.#found?.leave();
    this.#found = query === '' ? null : this.#watch(photos.query('list', { size: this.#size, q: query }));
    this.#tell();
  }

  more(): void {
    this.#before = this.#shown;
    this.#size += PAGE;
    this.#ask();
  }

  #ask(): void {
    this.#newest?.leave();
    this.#newest = this.#watch(photos.query('list', { size: this.#size }));
    this.#tell();
  }

  #watch(query: Query): Watched {
    return { query, leave: query.subscribe(() => this.#tell()) };
  }

  get #shown(): Listing | null {
    return listingOf(this.#newest) ?? this.#before;
  }

  /** What the server has found; what is known already, for as long as it has not answered. It knows nothing of drafts. */
  get #matching(): readonly Photo[] {
    const found = listingOf(this.#found);
    return (
      (found ?? this.#shown)?.items.filter(
        (photo) => (found && !photo.isDraft) || isFoundBy(this.#search, photo),
      ) ?? []
    );
  }

  #hear({ response, stale, age }: RestEvent): void {
    if (!this.#live || !isListing(response)) return;
    this.#error = null;
    if (!stale) this.#told = response;
    this.#catchUp();
    if (!stale && !this.#isBehind) this.#confirmedAt = Date.now() - age * 1_000;
    this.#tell();
  }

  #note({ response, servedFrom }: RestEvent): void {
    if (!this.#live || !isListing(response)) return;
    for (const photo of response.items) this.#onServer.set(photo.id, photo);
    this.#listed = response;
    if (servedFrom !== 'network') return;
    this.#error = null;
    // It may have been asked for before the last change.
    if (response.origin === this.#told?.origin) this.#catchUp();
  }

  #fail(error: RestError | null): void {
    if (!this.#live || error?.code === 'aborted') return;
    this.#error = error;
    this.#tell();
  }

  /** True where the long-poll has told of changes that the list lacks. */
  get #isBehind(): boolean {
    const [told, listed] = [this.#told, this.#listed];
    return !!told && !!listed && (told.origin !== listed.origin || told.cursor > listed.cursor);
  }

  #catchUp(): void {
    if (this.#isBehind) this.#askAgain();
  }

  /** Anything that comes over the network says that the list can be asked for again. */
  #serverIsBack(): void {
    const { stale, error } = this.state;
    if (stale || error) this.#askAgain();
  }

  #askAgain(): void {
    for (const watched of [this.#newest, this.#found])
      if (watched && !watched.query.snapshot.fetching) void watched.query.refresh();
  }

  /** Once for all that comes in one turn: that a photo has been numbered is told first, so that it keeps its frame. */
  #tell(): void {
    if (this.#willTell) return;
    this.#willTell = true;
    queueMicrotask(() => {
      this.#willTell = false;
      const { state } = this;
      for (const listener of this.#listeners) listener(state);
    });
  }
}

function listingOf(watched: Watched | null): Listing | null {
  const data = watched?.query.snapshot.data;
  return isListing(data) ? data : null;
}
