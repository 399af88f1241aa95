import { connect, Resource, RestError, RestStore, type Connection } from 'offstage';

/** How a server learns who asks: by a cookie, a header of the page's hook, or what the page's provider gives. */
const WAYS = ['cookie', 'hook', 'provider'] as const;

/** What one user does until the next one comes. */
export interface Turn {
  readonly user: number;
  /** True where the user before signs out first; otherwise the two follow each other directly. */
  readonly signsOut: boolean;
  /** How many reads and writes are under way as the users change, and for how many milliseconds. */
  readonly reads: number;
  readonly writes: number;
  readonly after: number;
}

/** What a page was told so far. */
export interface Sighting {
  /** Answers of servers and what shows them. */
  readonly told: number;
  /** Those that belong to an earlier user than the one whom the page knew. */
  readonly leaks: readonly string[];
  /** Users who got no answer, or another one's. */
  readonly unserved: readonly string[];
  /** Calls that did not end with their user. */
  readonly hung: number;
  /** How often the page came out of the back/forward cache. */
  readonly returns: number;
}

const MARK = /user-(\d+);/g;

/** Milliseconds within which the calls of a user end when the next one comes. */
const ENDED_IN = 2_000;

interface App {
  readonly connection: Connection;
  readonly byWay: readonly Resource[];
  /** Whom the page's hook and provider speak for; 0 for nobody. */
  user: number;
}

const OPENED: App[] = [];
const SEEN = { told: 0, hung: 0, returns: 0, leaks: [] as string[], unserved: [] as string[] };

export function sighting(): Sighting {
  return SEEN;
}

/** What belongs to a user contains this name, and nothing else does. */
function nameOf(user: number): string {
  return `user-${user};`;
}

function usersIn(what: unknown): number[] {
  return [...(JSON.stringify(what) ?? '').matchAll(MARK)].map(([, user]) => Number(user));
}

/** Opens an app that shows what its servers say of the user, with loops every `interval` milliseconds. */
export function open(interval: number): void {
  const connection = connect();
  const hear = watcherOf(connection);
  const byWay: Resource[] = [];
  const app: App = { connection, byWay, user: 0 };
  for (const way of WAYS) byWay.push(resourceFor(way, connection, hear, () => app.user));
  OPENED.push(app);
  connection.credentials(() => ({ headers: { Authorization: `Bearer ${app.user}` } }));
  const follow = (): void => {
    const [user = 0] = usersIn(connection.identity);
    app.user = user;
    const [polled, fed, shown] = WAYS.map((_way, nth) => app.byWay[(user + nth) % WAYS.length]);
    polled?.poll('live', {}, { interval });
    fed?.longPoll('feed', {}, { cursor: { from: { body: '/last' }, to: { query: 'since' }, initial: 0 } });
    shown?.poll('rows', {}, { interval });
  };
  connection.addEventListener('identity', follow);
  addEventListener('pageshow', ({ persisted }) => (SEEN.returns += persisted ? 1 : 0));
  follow();
}

type Hear = (by: string, what: unknown) => void;

function resourceFor(way: string, connection: Connection, hear: Hear, user: () => number): Resource {
  const of = (action: string): { method: string; url: string } => ({
    method: 'GET',
    url: `/of/${way}/${action}`,
  });
  const resource = new Resource(
    {
      read: of('read'),
      live: of('live'),
      feed: of('feed'),
      rows: of('rows'),
      watched: of('watched'),
      save: {
        method: 'POST',
        url: `/of/${way}/save?id={id}`,
        headers: { 'Content-Type': 'application/json' },
      },
    },
    { connection },
  );
  resource.addListener('success', ({ action, response }) => hear(`${way} ${action}`, response));
  new RestStore(resource, 'read').subscribe((model) => hear(`${way} model`, model));
  new RestStore(resource, 'rows').window(0, 3).subscribe((rows) => hear(`${way} window`, rows));
  if (way === 'hook') {
    resource.configureRequest((request) => request.setRequestHeader('X-User', String(user())));
    const query = resource.query('watched');
    query.subscribe(() => hear(`${way} query`, query.snapshot.data));
  }
  return resource;
}

/** Notes what the page hears that belongs to an earlier user than the one whom it knows. */
function watcherOf(connection: Connection): Hear {
  let [oldest, latest] = [0, 0];
  const learn = (): void => {
    const [user] = usersIn(connection.identity);
    // Where nobody is signed in, what belongs to the last one is no longer to be told.
    oldest = Math.max(oldest, user ?? (latest === 0 ? 0 : latest + 1));
    latest = Math.max(latest, user ?? 0);
  };
  return (by, what) => {
    learn();
    const users = usersIn(what);
    if (users.length > 0) SEEN.told += 1;
    // Nobody's is no earlier user's: a request may leave between the end of the server's session and the sign-out.
    const early = users.find((user) => user > 0 && user < oldest);
    if (early !== undefined && SEEN.leaks.length < 20)
      SEEN.leaks.push(
        `${by} told ${nameOf(early)} to ${connection.identity ?? `nobody after ${nameOf(latest)}`}`,
      );
  };
}

/** Changes users, one after the other; each gets an answer, and leaves with others under way. */
export async function play(turns: readonly Turn[]): Promise<void> {
  const [app] = OPENED;
  if (!app) throw new Error('The app is not open');
  for (const turn of turns) await change(app, turn);
}

async function change(app: App, { user, signsOut, reads, writes, after }: Turn): Promise<void> {
  const { connection, byWay } = app;
  const calls = [
    ...Array.from({ length: reads }, (_, nth) => endOf(byWay[nth % byWay.length], 'read', {})),
    ...Array.from({ length: writes }, (_, nth) =>
      endOf(byWay[nth % byWay.length], 'save', { id: `${app.user}.${user}.${nth}` }, { by: app.user }),
    ),
  ];
  await pause(after);
  if (signsOut) {
    await cookieStore.delete('user');
    app.user = 0;
    await connection.signOut();
  }
  // Resolves when it is set: Chromium sets what is assigned to `document.cookie` after the requests that follow.
  await cookieStore.set('user', `${user}`);
  app.user = user;
  await connection.signIn(nameOf(user));
  const read = byWay[user % byWay.length];
  const served = await Promise.race([endOf(read, 'read', {}), pause(10_000)]);
  if (usersIn(served)[0] !== user) SEEN.unserved.push(`${nameOf(user)} got ${JSON.stringify(served)}`);
  const ended = await Promise.race([Promise.all(calls), pause(ENDED_IN)]);
  if (!Array.isArray(ended)) SEEN.hung += 1;
}

/** How a call ends: with its answer, or the code of its failure. */
async function endOf(
  resource: Resource | undefined,
  action: 'read' | 'save',
  params: Record<string, string>,
  data: object | null = null,
): Promise<unknown> {
  try {
    const id = resource?.invoke(action, params, data);
    return await resource?.result(id ?? 0);
  } catch (error) {
    return error instanceof RestError ? error.code : String(error);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
