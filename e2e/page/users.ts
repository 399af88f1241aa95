import { connect, Resource, RestError, RestStore, type Connection } from 'offstage';

/** Something that the page was told or shown, and who was signed in at that moment. */
export interface Heard {
  readonly as: string | null;
  readonly by: string;
  readonly what: unknown;
}

/** All of it, the newest last: kept here, since a test's handles do not outlive the back/forward cache. */
export const HEARD: Heard[] = [];

/** An app that shows what its server says of `/mine`. */
export interface App {
  readonly connection: Connection;
  readonly mine: Resource;
  readonly store: RestStore;
}

/** The app of this page, once it is open. */
const OPENED: App[] = [];

export function app(): App {
  const [opened] = OPENED;
  if (!opened) throw new Error('The app is not open');
  return opened;
}

const DESCRIPTION = {
  get: { method: 'GET', url: '/mine' },
  stored: { method: 'GET', url: '/mine', cache: 'cache-only' },
  live: { method: 'GET', url: '/mine/live' },
  rows: { method: 'GET', url: '/mine/rows' },
  feed: { method: 'GET', url: '/mine/feed' },
  watched: { method: 'GET', url: '/mine/query' },
  hold: { method: 'GET', url: '/hold?key=mine' },
  save: { method: 'POST', url: '/hold?key=mine' },
} as const;

/** The app signs in a user: its server's session first, then everything that is shown. */
export async function signIn(name: string): Promise<void> {
  document.cookie = `user=${name}; path=/`;
  await app().connection.signIn(name);
}

export async function signOut(): Promise<void> {
  document.cookie = 'user=; path=/; max-age=0';
  await app().connection.signOut();
}

/** Opens the app: polls, a feed, a store, a query and a window, which go on for each user. */
export function open(connection: Connection = connect(), interval = 200): void {
  const hear = (by: string, what: unknown): void => {
    HEARD.push({ as: connection.identity, by, what });
  };
  const mine = new Resource(DESCRIPTION, { connection });
  mine.addListener('success', ({ action, response }) => hear(action, response));
  mine.addListener('error', ({ action, error }) => hear(action, error?.code));
  const store = new RestStore(mine, 'get');
  store.subscribe((model) => hear('model', model));
  new RestStore(mine, 'rows').window(0, 3).subscribe((part) => hear('window', part));
  const query = mine.query('watched');
  query.subscribe(() => hear('query', query.snapshot.data ?? null));
  OPENED.push({ connection, mine, store });
  connection.addEventListener('identity', () => {
    hear('identity', connection.identity);
    follow(mine, interval);
  });
  addEventListener('pageshow', () => hear('shown', null));
  follow(mine, interval);
}

/** The loops of the user who is signed in now. */
function follow(mine: Resource, interval: number): void {
  mine.poll('live', {}, { interval });
  mine.poll('rows', {}, { interval });
  const cursor = { from: { body: '/last' }, to: { query: 'since' }, initial: 0 };
  mine.longPoll('feed', {}, { cursor });
}

/** How a call of that action ends: with its answer, or the code of its failure. */
export async function ask(action: keyof typeof DESCRIPTION): Promise<unknown> {
  const { mine } = app();
  try {
    return await mine.result(mine.invoke(action));
  } catch (error) {
    return error instanceof RestError ? error.code : String(error);
  }
}

/** What the library has stored for pages of this origin: the databases' names, and all their contents as text. */
export async function stored(): Promise<{ readonly names: readonly string[]; readonly text: string }> {
  const names = (await indexedDB.databases()).flatMap(({ name = '' }) =>
    name.startsWith('offstage:') ? [name] : [],
  );
  const texts: string[] = [];
  for (const name of names) texts.push(await textOf(name));
  return { names, text: texts.join('\n') };
}

async function textOf(name: string): Promise<string> {
  const database = await answerTo(indexedDB.open(name));
  try {
    const stores = [...database.objectStoreNames];
    const values = stores.map((store) => answerTo(database.transaction(store).objectStore(store).getAll()));
    return JSON.stringify(await Promise.all(values), (_key, value: unknown) =>
      value instanceof ArrayBuffer ? new TextDecoder().decode(value) : value,
    );
  } finally {
    database.close();
  }
}

function answerTo<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB has failed')));
  });
}
