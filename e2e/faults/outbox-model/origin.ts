import type { Owner, Timeline } from '../model/timeline.ts';
import type { Random } from '../random.ts';
import type { Ledger } from './ledger.ts';
import { nameOf } from './ledger.ts';
import type { ServerState, User } from './plan.ts';
import type { Row, Written } from './written.ts';

/** Milliseconds that each way takes of a slow server. */
const SLOW = 3_000;

/** What it says to a write, by its state. */
const REFUSALS: Partial<Readonly<Record<ServerState, number>>> = {
  fails: 503,
  conflicts: 409,
  outdated: 412,
  refuses: 422,
  forbids: 401,
};

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly cookie: User | null;
  readonly key: string | null;
  readonly validator: string | null;
  readonly data: Record<string, unknown>;
  readonly askedAt: number;
  /** False once nobody waits for the answer. */
  isOpen: boolean;
  /** Called when nobody hears the answer that the server has given to it. */
  lost: () => void;
}

/** What is said to a request. `heard` is called when a living worker has the answer, `lost` where none ever has. */
interface Answer {
  /** Null where it is lost on its way. */
  readonly response: Response | null;
  readonly heard: () => void;
  readonly lost: () => void;
}

/** A server with a list for each user, which performs each key once, and a browser's cookie for it. */
export class Origin {
  requests = 0;
  state: ServerState = 'works';
  /** Whose cookie requests carry. */
  cookie: User | null = null;
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #ledger: Ledger;
  /** What was answered to each key that was performed. */
  readonly #answers = new Map<string, object>();
  /** The last attempt with each key. */
  readonly #last = new Map<string, Asked>();
  readonly #open = new Map<Owner, Set<() => void>>();
  #ids = 100;

  constructor(timeline: Timeline, random: Random, ledger: Ledger) {
    this.#timeline = timeline;
    this.#random = random;
    this.#ledger = ledger;
  }

  get isOnline(): boolean {
    return this.state !== 'cut';
  }

  become(state: ServerState): void {
    this.state = state;
    if (state !== 'cut') return;
    for (const cuts of this.#open.values()) for (const cut of cuts) cut();
  }

  /** The requests of a worker that is gone are answered to nobody. */
  forget(owner: Owner): void {
    for (const cut of this.#open.get(owner) ?? []) cut();
    this.#open.delete(owner);
  }

  /** Somebody else adds, renames or removes a row. */
  elsewhere(user: User, does: 'add' | 'rename' | 'remove', pick: number): void {
    const rows = this.#ledger.versionsOf(user).at(-1) ?? [];
    const [id, at] = [(this.#ids += 1), pick % Math.max(1, rows.length)];
    const title = `of somebody else ${id}`;
    const next = {
      add: [...rows, { id, tag: `row of somebody else ${id}`, title }],
      rename: rows.map((row, index) => (index === at ? { ...row, title } : row)),
      remove: rows.toSpliced(at, 1),
    };
    this.#ledger.change(user, next[does]);
  }

  /** What `fetch` is for that run of a worker. */
  readonly fetchOf =
    (owner: Owner) =>
    (url: string, init: RequestInit): Promise<Response> => {
      if (owner.state === 'gone') return new Promise(() => {});
      const headers = new Headers(init.headers);
      this.requests += 1;
      const asked: Asked = {
        method: init.method ?? 'GET',
        path: decodeURIComponent(new URL(url).pathname),
        cookie: this.cookie,
        key: headers.get('idempotency-key'),
        validator: headers.get('if-none-match'),
        data: dataOf(init.body),
        askedAt: this.#timeline.now,
        isOpen: true,
        lost: () => {},
      };
      return this.#send(owner, asked, init.signal ?? null);
    };

  #send(owner: Owner, asked: Asked, signal: AbortSignal | null): Promise<Response> {
    const write = this.#ledger.find(asked.data['w']);
    if (write && !signal?.aborted) this.#ledger.send(write, asked.cookie);
    if (asked.key !== null) this.#last.set(asked.key, asked);
    return new Promise((resolve, reject) => {
      const cuts = this.#open.get(owner) ?? new Set();
      this.#open.set(owner, cuts);
      const end = (settle: () => void): void => {
        if (!asked.isOpen) return;
        asked.isOpen = false;
        cuts.delete(cut);
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const unheard = (error: Error): void =>
        end(() => {
          asked.lost();
          reject(error);
        });
      const cut = (): void => unheard(new TypeError('fetch failed'));
      const abort = (): void => unheard(new DOMException('The request was aborted', 'AbortError'));
      cuts.add(cut);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort);
      if (!this.isOnline) {
        this.#timeline.schedule(owner, 1, cut);
        return;
      }
      const answer = async (): Promise<void> => {
        const { response, heard } = await this.#exchange(asked, write);
        if (response === null) return cut();
        end(() => {
          heard();
          resolve(response);
        });
      };
      void answer();
    });
  }

  async #exchange(asked: Asked, write: Written | undefined): Promise<Answer> {
    const way = this.state === 'slow' ? SLOW : this.#random.between(2, 40);
    await this.#timeline.sleep(null, way);
    // What was cut on its way may arrive all the same, unless it was sent again since.
    const isGone = !asked.isOpen && (this.#random.chance(0.5) || !this.#isLast(asked));
    const answer = isGone ? silent(new Response(null, { status: 204 })) : this.#answer(asked, write);
    asked.lost = answer.lost;
    if (!asked.isOpen) answer.lost();
    const isLost = this.state === 'loses' && asked.method !== 'GET';
    await this.#timeline.sleep(null, way);
    return isLost ? { ...answer, response: null } : answer;
  }

  #isLast(asked: Asked): boolean {
    return asked.key === null || this.#last.get(asked.key) === asked;
  }

  #answer(asked: Asked, write: Written | undefined): Answer {
    const { cookie, method } = asked;
    if (cookie === null) return silent(json(401, {}));
    if (method === 'GET') return this.state === 'fails' ? silent(json(503, {})) : this.#list(asked, cookie);
    if (!write) {
      this.#ledger.differ(`${method} ${asked.path} is no write that a page has made`);
      return silent(json(400, {}));
    }
    if (asked.path.includes('temporary')) {
      // A plain call may name what has no id yet.
      if (write.action !== 'like') this.#ledger.differ(`${nameOf(write)} is sent to a temporary id`);
      return silent(json(404, {}));
    }
    this.#ledger.arrive(write);
    const known = asked.key === null ? undefined : this.#answers.get(asked.key);
    if (known) return this.#performed(write, known);
    const refusal = REFUSALS[this.state];
    if (refusal === undefined) return this.#performed(write, this.#perform(asked, write, cookie));
    if (refusal === 422) this.#ledger.refuse(write);
    return silent(json(refusal, { server: 'another' }));
  }

  #performed(write: Written, body: object): Answer {
    return {
      response: json(200, body),
      heard: () => this.#ledger.answer(write),
      lost: () => {
        write.isLost = true;
      },
    };
  }

  #list({ validator, askedAt }: Asked, user: User): Answer {
    const version = this.#ledger.newestOf(user);
    const rows = this.#ledger.versionsOf(user)[version] ?? [];
    const headers = { ETag: `"${user} ${version}"`, 'Cache-Control': 'no-cache' };
    const heard = (): void => {
      this.#ledger.given.push({ user, version, askedAt, at: this.#timeline.now });
    };
    const response =
      validator === headers.ETag ? new Response(null, { status: 304, headers }) : json(200, rows, headers);
    return { response, heard, lost: () => {} };
  }

  /** Whatever it names that is gone stays gone. */
  #perform({ path, data, key }: Asked, write: Written, user: User): object {
    const rows = this.#ledger.versionsOf(user).at(-1) ?? [];
    const { title, tag } = data;
    const target = Number(path.split('/')[2]);
    const others = rows.filter(({ id }) => id !== target);
    const id = (this.#ids += 1);
    const each = (change: (row: Row) => Row): Row[] =>
      rows.map((row) => (row.id === target ? change(row) : row));
    const next = {
      create: () => [...rows, { id, tag: String(tag), title: String(title) }],
      rename: () => each((row) => ({ ...row, title: String(title) })),
      remove: () => others,
      love: () => each((row) => ({ ...row, likes: (row.likes ?? 0) + 1 })),
      like: () => each((row) => ({ ...row, likes: (row.likes ?? 0) + 1 })),
    };
    if (write.action === 'create') write.givenId = id;
    this.#ledger.perform(write, title, this.#ledger.change(user, next[write.action]()));
    if (key !== null) this.#answers.set(key, { id });
    return { id };
  }
}

function silent(response: Response): Answer {
  return { response, heard: () => {}, lost: () => {} };
}

function dataOf(body: RequestInit['body']): Record<string, unknown> {
  return Object.fromEntries(new URLSearchParams(typeof body === 'string' ? body : ''));
}

function json(status: number, value: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
}
