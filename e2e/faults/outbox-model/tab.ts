import { Connection } from '../../../src/main/connection/connection.ts';
import { resolveOptions } from '../../../src/main/connection/options.ts';
import { RestError } from '../../../src/main/error.ts';
import { appendRow, changeRow, removeRow } from '../../../src/main/optimistic/rows.ts';
import type { OptimisticWrite } from '../../../src/main/optimistic/write.ts';
import type { OutboxEntry } from '../../../src/main/outbox/entry.ts';
import type { Query } from '../../../src/main/queries/query.ts';
import type { Loop } from '../../../src/main/resource/loop.ts';
import { Resource } from '../../../src/main/resource/resource.ts';
import type { ResourceOf } from '../../../src/main/resource/resource.ts';
import { RestStore } from '../../../src/main/store/rest-store.ts';
import type { PageLink } from '../model/page-link.ts';
import type { Owner } from '../model/timeline.ts';
import type { Deciding } from './deciding.ts';
import { entryIn, Heard } from './heard.ts';
import type { Ledger } from './ledger.ts';
import type { DecisionKind, User, WriteAction } from './plan.ts';
import { Reader } from './reader.ts';
import type { Showing } from './reader.ts';
import type { Row, Written } from './written.ts';

/** A function of the app's own, which counts. */
function likeRow(rows: readonly Row[], { params }: OptimisticWrite): readonly Row[] {
  return rows.map((row) => (String(row.id) === params['id'] ? { ...row, likes: (row.likes ?? 0) + 1 } : row));
}

const DESCRIPTION = {
  list: { method: 'GET', url: '/photos', response: Resource.type<readonly Row[]>() },
  create: {
    method: 'POST',
    url: '/photos',
    offline: 'queue',
    creates: '/id',
    optimistic: { list: appendRow },
  },
  rename: { method: 'PATCH', url: '/photos/{id}', offline: 'queue', optimistic: { list: changeRow } },
  remove: { method: 'DELETE', url: '/photos/{id}', offline: 'queue', optimistic: { list: removeRow } },
  love: {
    method: 'POST',
    url: '/photos/{id}/loves',
    offline: 'queue',
    lane: () => 'loves',
    optimistic: { list: likeRow },
  },
  like: { method: 'POST', url: '/photos/{id}/likes', optimistic: { list: likeRow } },
} as const;

/** Milliseconds that a plain call has. */
const TIMEOUT = 10_000;

/** Milliseconds until it says again who is signed in. */
const AGAIN = 100;

export interface TabSurroundings {
  readonly ledger: Ledger;
  readonly deciding: Deciding;
  /** Whose cookie the browser has now. */
  readonly cookie: () => User | null;
  readonly link: (tab: Tab) => PageLink;
  readonly sleep: (tab: Tab, milliseconds: number) => Promise<void>;
}

/** A tab with the library in it, from its opening to its end. Its list is shown by a query and by a store. */
export class Tab implements Owner {
  readonly name: string;
  state: 'running' | 'gone' = 'running';
  readonly isReachable = true;
  /** True while its app says who is signed in. */
  isEntering = false;
  readonly connection: Connection;
  readonly heard: Heard;
  readonly #around: TabSurroundings;
  readonly #link: PageLink;
  readonly #resource: ResourceOf<typeof DESCRIPTION>;
  readonly #query: Query<readonly Row[]>;
  readonly #store: RestStore<readonly Row[]>;
  readonly #readers: readonly [Reader, Reader];
  readonly #window = new EventTarget();
  readonly #document = Object.assign(new EventTarget(), { hidden: false, baseURI: 'https://page.example/' });
  #loop: Loop | null = null;
  #unsubscribe: (() => void) | null = null;
  #era = 0;
  /** How often somebody had signed in or out when that began, and whether it has shown anything since. */
  #signs = 0;
  #hasShown = false;
  #isTurning = false;
  /** As the event `identity` has told. */
  #told: User | null = null;
  #calmSince: number;
  #isInTouch = false;
  #lastId = 0;

  constructor(name: string, around: TabSurroundings) {
    this.name = name;
    this.#around = around;
    this.#calmSince = around.ledger.now;
    this.heard = new Heard(name, around.ledger);
    this.enter();
    this.#link = around.link(this);
    this.connection = new Connection(this.#link.host(), resolveOptions({}), () => (this.#lastId += 1));
    this.#resource = new Resource(DESCRIPTION, { connection: this.connection, name: 'photos' });
    this.#query = this.#resource.query('list', {});
    this.#store = new RestStore(this.#resource, 'list');
    this.#readers = [
      new Reader(`the query of ${name}`, around.ledger),
      new Reader(`the store of ${name}`, around.ledger),
    ];
    this.#listen();
    this.subscribe();
  }

  enter(): void {
    const addEventListener = this.#window.addEventListener.bind(this.#window);
    Object.assign(globalThis, { document: this.#document, addEventListener });
  }

  get user(): User | null {
    const { identity } = this.connection;
    return identity === 'anna' || identity === 'bert' ? identity : null;
  }

  /** Something has kept it from hearing what becomes of writes. */
  disturb(): void {
    const { now, troubledUntil } = this.#around.ledger;
    this.#calmSince = Math.max(now, troubledUntil);
  }

  /** The worker has ended. A known limit: a page that needs no worker hears nothing of the next one until it needs it. */
  lose(): void {
    this.#isInTouch = false;
  }

  /** It sends a message to the worker. */
  touch(): void {
    if (!this.#isInTouch) this.disturb();
    this.#isInTouch = true;
  }

  /** As the app does it that knows its user by its session. */
  async enterAs(user: User, isStill: () => boolean): Promise<void> {
    this.isEntering = true;
    while (isStill() && this.state !== 'gone') {
      try {
        await this.connection.signIn(user);
        break;
      } catch {
        await this.#around.sleep(this, AGAIN);
      }
    }
    this.isEntering = false;
  }

  /** Looks at what it shows now. `isSettled`: all that follows from it at once has followed. */
  look(isSettled: boolean): void {
    // Between two users, one part of a page forgets after the other.
    if (this.state === 'gone' || this.user !== this.#told || this.#isTurning) return;
    const isEmpty = this.#query.snapshot.data === null;
    // Somebody else was there meanwhile, of whom this page has not heard.
    if (isEmpty && this.#hasShown && this.#around.ledger.signs !== this.#signs) return this.#turn();
    this.#hasShown ||= !isEmpty;
    const showing: Showing = {
      page: this,
      user: this.user,
      cookie: this.#around.cookie(),
      era: this.#era,
      calmSince: this.#isInTouch ? this.#calmSince : Infinity,
      isSettled,
      hasHeardOfReview: (write) => this.heard.hasReview(write),
    };
    const [query, store] = this.#readers;
    if (this.#unsubscribe) query.look(this.#query.snapshot.data, showing);
    store.look(this.#store.model, showing);
  }

  /** Calls the action for one of the rows that are shown; nothing where there is none. */
  write(action: WriteAction, pick: number): void {
    const { ledger } = this.#around;
    const { user } = this;
    const rows = this.#query.snapshot.data ?? [];
    const row = action === 'create' ? null : rows[pick % Math.max(1, rows.length)];
    if (user === null || row === undefined) return;
    const maker = typeof row?.id === 'string' ? ledger.makerOf(row.tag) : null;
    const write = ledger.call({ action, user, page: this, era: this.#era, tag: row?.tag ?? null, maker });
    const { n, tag, titles } = write;
    const params = row ? { id: row.id } : {};
    const data = {
      create: { w: n, tag, title: titles[0] },
      rename: { title: titles[0], w: n },
    };
    const sent = action === 'create' || action === 'rename' ? data[action] : { w: n };
    const id = this.#resource.invoke(action, params, sent, { timeout: TIMEOUT });
    void this.#follow(write, id);
  }

  decide(decision: DecisionKind, pick: number): void {
    const { outbox } = this.connection;
    if (this.user !== null)
      void this.#around.deciding.decide(outbox, decision, pick, () => this.user).catch(() => {});
  }

  poll(interval: number): void {
    this.#loop?.stop();
    this.#loop = this.#resource.poll('list', {}, { interval });
  }

  stop(): void {
    this.#loop?.stop();
    this.#loop = null;
  }

  refresh(): void {
    if (this.user !== null) void this.#query.refresh().catch(() => {});
  }

  subscribe(): void {
    if (this.#unsubscribe) return;
    this.disturb();
    this.#unsubscribe = this.#query.subscribe(() => this.look(false));
  }

  unsubscribe(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  /** What waits, as the outbox has it. */
  list(): Promise<readonly OutboxEntry[]> {
    return this.connection.outbox.list();
  }

  retry(entry: OutboxEntry): Promise<void> {
    return this.#around.deciding.retry(this.connection.outbox, entry);
  }

  /** At the end it shows exactly this. */
  lookAtEnd(rows: readonly Row[]): void {
    for (const shown of [this.#query.snapshot.data, this.#store.model])
      if (JSON.stringify(plain(shown)) !== JSON.stringify(plain(rows)))
        this.#around.ledger.differ(
          `${this.name} shows ${JSON.stringify(shown)} at the end, not ${JSON.stringify(rows)}`,
        );
  }

  hearOnline(): void {
    this.#window.dispatchEvent(new Event('online'));
  }

  close(): void {
    this.#window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }));
    this.crash();
  }

  /** It is gone without a word. */
  crash(): void {
    this.state = 'gone';
    this.#link.end();
  }

  #listen(): void {
    const { connection } = this;
    connection.addEventListener('identity', () => {
      this.#told = this.user;
      this.#turn();
    });
    this.heard.listen(connection.outbox);
    this.#store.addEventListener('change', () => this.look(false));
  }

  /** All that was told before is another user's, or is told anew. */
  #turn(): void {
    const { ledger, sleep } = this.#around;
    this.#era += 1;
    this.#signs = ledger.signs;
    this.#hasShown = false;
    this.disturb();
    this.heard.begin(this.user);
    this.#isTurning = true;
    void sleep(this, 0).then(() => (this.#isTurning = false));
  }

  /** What comes of the call. */
  async #follow(write: Written, id: number): Promise<void> {
    const { ledger } = this.#around;
    try {
      const entry = entryIn(await this.#resource.result(id));
      if (entry) Object.assign(write, { call: 'queued', queuedAt: ledger.now, entry });
      else write.call = 'answered';
      if (!entry && write.action !== 'like') ledger.differ(`write ${write.n} is not queued, but answered`);
    } catch (error) {
      write.call = 'failed';
      if (!(error instanceof RestError)) ledger.differ(`write ${write.n} has failed: ${String(error)}`);
    }
  }
}

function plain(rows: readonly Row[] | null): unknown {
  return rows?.map(({ id, tag, title, likes = 0 }) => [id, tag, title, likes]) ?? null;
}
