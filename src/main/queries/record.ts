import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { RestError } from '../error.ts';
import type { Notice } from '../resource/notice.ts';
import type { Asked } from '../resource/prepare.ts';
import { ActionView } from './view.ts';
import { isSameRevision, isNewer } from '../../shared/outcome.ts';
import { isNode } from '../patch/node.ts';

/** The end of one request, as the resource that sent it tells its query. */
export interface Telling {
  readonly notice: Notice;
  /** The response before the action's schema. */
  readonly received: unknown;
  /** Approximate bytes of the response. */
  readonly size: number;
  readonly invocation: Invocation;
  /** What the call or the loop asks, as it can be asked for again. */
  readonly asked: Asked;
  /** The declaration of the action that asked. */
  readonly declared: object;
  /** True where the notice contains the response. Otherwise it stayed with the worker, and no event tells of it. */
  readonly isWhole: boolean;
  /** True for the answer to a call. Calls are ordered by when they were made, ticks by their revisions. */
  readonly isCall: boolean;
}

/** The same with what its query makes of it: `changed` and the response are as the action tells them. */
export interface Reply extends Telling {
  readonly record: QueryRecord;
  readonly novelty: Novelty;
}

/** The newest answer of a query, without its response. */
export interface Newest extends Pick<Notice, 'revision' | 'servedFrom' | 'stale'> {
  readonly invocation: Invocation;
  /** When the server's answer was received, in milliseconds of the epoch. */
  readonly answeredAt: number;
  /** It contains all writes that had ended by then, in milliseconds of the epoch. */
  readonly asOf: number;
}

/** A response as it came. */
export interface Held {
  readonly received: unknown;
  readonly isEmpty: boolean;
  readonly size: number;
}

export interface RecordWatcher {
  /** A request of the query has ended. */
  readonly hear: (reply: Reply) => void;
  /** A request has begun or ended. */
  readonly changed: () => void;
  /** The record stands for nothing any more: the page asks for another user from now on. */
  readonly ended: () => void;
}

/** Where a record is kept. */
export interface RecordHome {
  /** Somebody begins to watch the record, or nobody does any more. */
  watched(record: QueryRecord, isWatched: boolean): void;
  /** Keeps the response of a record that nobody watches, as long as there is room; undefined for none. */
  hold(record: QueryRecord, held: Held | undefined): void;
  held(record: QueryRecord): Held | undefined;
}

/**
 * What the page knows of one query: its newest answer, the requests under way, and who watches. All that ask the same
 * share one record, whatever resource, loop or store they belong to.
 */
export class QueryRecord {
  /** Null where nothing else can ask for the same. */
  readonly key: string | null;
  readonly received: Received = new Received();
  readonly #home: RecordHome;
  readonly #order = new AnswerOrder();
  readonly #views = new WeakMap<object, ActionView>();
  readonly #watchers = new Set<RecordWatcher>();
  #newest: Newest | null = null;
  #error: RestError | null = null;
  #fetching = 0;
  /** The response, while somebody watches. */
  #held: Held | undefined;
  #isEnded = false;

  constructor(key: string | null, home: RecordHome) {
    this.key = key;
    this.#home = home;
  }

  /** True once it stands for nothing any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  get newest(): Newest | null {
    return this.#newest;
  }

  /** Why the last request failed; null where it did not. Aborted ones do not count. */
  get error(): RestError | null {
    return this.#error;
  }

  get isFetching(): boolean {
    return this.#fetching > 0;
  }

  /** The newest response; undefined where there is none, where it stayed with the worker, and where it is forgotten. */
  get held(): Held | undefined {
    return this.#held ?? this.#home.held(this);
  }

  viewOf(declared: object): ActionView {
    const view = this.#views.get(declared) ?? new ActionView();
    this.#views.set(declared, view);
    return view;
  }

  /** True where an answer with this revision has been replaced by a newer one. */
  isOlder(revision: Revision | null): boolean {
    return this.#order.judge({ revision, call: null }) === 'older';
  }

  /** A request begins; the returned function says that it has ended, before its end is told. */
  begin(): () => void {
    this.#fetching += 1;
    this.#each((watcher) => watcher.changed());
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#fetching -= 1;
    };
  }

  /** Takes the end of a request; `tell` tells the watchers of it. */
  take(telling: Telling): Reply {
    const { declared, isWhole, received } = telling;
    const notice = isWhole ? this.viewOf(declared).judge(telling.notice, received) : telling.notice;
    const reply = { ...telling, notice, record: this };
    if (this.#isEnded) return { ...reply, novelty: 'older' };
    // What a schema refuses is an answer all the same: other actions may ask for it without that schema.
    const isAnswer = notice.type === 'success' || notice.error?.code === 'schema';
    return { ...reply, novelty: isAnswer ? this.#succeed(reply) : this.#fail(reply) };
  }

  tell(reply: Reply): void {
    this.#each((watcher) => watcher.hear(reply));
  }

  /** Keeps the record and its response; the returned function ends that. */
  watch(watcher: RecordWatcher): () => void {
    if (this.#watchers.size === 0) {
      this.#held = this.#home.held(this);
      this.#home.watched(this, true);
    }
    this.#watchers.add(watcher);
    return () => this.#unwatch(watcher);
  }

  /** Forgets everything: nothing that still comes for it counts. */
  end(): void {
    this.#isEnded = true;
    this.#held = undefined;
    this.#newest = null;
    this.#error = null;
    this.#fetching = 0;
    this.#each((watcher) => watcher.ended());
  }

  #unwatch(watcher: RecordWatcher): void {
    if (!this.#watchers.delete(watcher) || this.#watchers.size > 0 || this.#isEnded) return;
    const held = this.#held;
    this.#held = undefined;
    this.#home.watched(this, false);
    this.#home.hold(this, held);
  }

  #succeed({ notice, received, size, invocation, isWhole, isCall }: Telling): Novelty {
    const { id, revision, servedFrom, stale, age, asOf, isEmpty } = notice;
    const ordered = { revision, call: isCall ? id : null };
    const novelty = this.#order.judge(ordered);
    if (novelty === 'older') return novelty;
    this.#order.take(ordered);
    this.#error = null;
    this.#newest = { revision, servedFrom, stale, invocation, answeredAt: Date.now() - age * 1_000, asOf };
    // An empty answer changes nothing.
    if (isWhole && !(isEmpty && this.held)) this.#hold({ received, isEmpty, size });
    else if (!isWhole && novelty === 'news') this.#hold(undefined);
    return novelty;
  }

  #fail({ notice: { id, error }, isCall }: Telling): Novelty {
    // A late failure says nothing about the newer call that has been answered.
    if (isCall && this.#order.isLate(id)) return 'older';
    if (error?.code !== 'aborted') this.#error = error;
    return 'news';
  }

  #hold(held: Held | undefined): void {
    if (this.#watchers.size > 0) this.#held = held;
    else this.#home.hold(this, held);
  }

  /** Those who come meanwhile are not told. */
  #each(tell: (watcher: RecordWatcher) => void): void {
    const watchers = [...this.#watchers];
    for (const watcher of watchers) tell(watcher);
  }
}

/** The last answer to one query as it came, before any schema: the next one shares its equal parts. Held weakly. */
export class Received {
  #value: WeakRef<object> | null = null;
  #state: Revision | null = null;

  /** Undefined where it has been collected. */
  get value(): unknown {
    return this.#value?.deref();
  }

  /** The last value where it is in this state: then the sent body need not be parsed. */
  in(state: Revision | null): unknown {
    return state && this.#state && isSameRevision(state, this.#state) ? this.value : undefined;
  }

  /** `state` is the worker's name for the value; null where it has none. */
  keep(value: unknown, state: Revision | null): void {
    this.#value = isNode(value) ? new WeakRef(value) : null;
    this.#state = state;
  }
}

/** How an answer compares to those before it: new, the same again, or older. */
export type Novelty = 'news' | 'same' | 'older';

/** An answer, as far as its order counts. */
export interface Ordered {
  readonly revision: Revision | null;
  /** The id of the call that it answers; null for the tick of a loop, whose order the revision alone tells. */
  readonly call: number | null;
}

/**
 * The order of the answers to one query. Calls are ordered by when they were made. Within a lineage the higher number is
 * newer; of two lineages the younger is newer, and an older one never returns (invariant 8). Answers that are not stored
 * have no revision and are news.
 */
export class AnswerOrder {
  #revision: Revision | null = null;
  #call = 0;
  /** True where the newest revision is that of the answer taken last. */
  #isLast = false;

  /** True where a call that was made later has been answered. */
  isLate(call: number): boolean {
    return call < this.#call;
  }

  judge({ revision, call }: Ordered): Novelty {
    if (call !== null && this.isLate(call)) return 'older';
    if (revision === null || this.#revision === null) return 'news';
    if (isSameRevision(revision, this.#revision)) return this.#isLast ? 'same' : 'news';
    return isNewer(revision, this.#revision) ? 'news' : 'older';
  }

  /** Takes an answer that is not older. */
  take({ revision, call }: Ordered): void {
    this.#revision = revision ?? this.#revision;
    this.#isLast = revision !== null;
    this.#call = call ?? this.#call;
  }
}
