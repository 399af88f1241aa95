import { files, version } from 'app-shell';

const PREFIX = 'shell-';
const NAME = PREFIX + version;
const INDEX = '/index.html';

/** How long a page or file is waited for before the stored one is taken. */
const PATIENCE = 3_000;

/** Stores the files that this version of the app is made of. */
export async function storeShell(): Promise<void> {
  const cache = await caches.open(NAME);
  // Past the browser's own cache: index.html there may be of an older version.
  await cache.addAll(files.map((path) => new Request(path, { cache: 'reload' })));
}

export async function dropOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The page that was asked for, or else the app, which finds its own way. */
export async function answerNavigation(request: Request): Promise<Response> {
  return newest(request, (await find(request)) ?? (await find(INDEX)));
}

/** A file of the app: those in assets/ have names that change with their content, so what is stored is right. */
export async function answerFile(request: Request): Promise<Response> {
  const stored = await find(request);
  const isLasting = new URL(request.url).pathname.startsWith('/assets/');
  return stored && isLasting ? stored : newest(request, stored);
}

export function isShellFile(path: string): boolean {
  return files.includes(path);
}

/** The server's while there is a network, the stored one when there is none or it takes too long. */
async function newest(request: Request, stored: Response | undefined): Promise<Response> {
  if (!stored) return fetch(request);
  const late = new Promise<Response>((resolve) => {
    setTimeout(() => resolve(stored), PATIENCE);
  });
  const fresh = fetch(request).then((response) => (response.status >= 500 ? stored : response));
  return Promise.race([fresh, late]).catch(() => stored);
}

/** Only in this version's own cache: another's files may not fit. */
async function find(request: Request | string): Promise<Response | undefined> {
  const cache = await caches.open(NAME);
  return cache.match(request, { ignoreSearch: true, ignoreVary: true });
}
