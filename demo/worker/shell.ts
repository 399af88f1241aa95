import { files, version } from 'app-shell';

const PREFIX = 'shell-';
const NAME = PREFIX + version;
const INDEX = '/index.html';

/** How long a navigation waits for the network before the stored page is shown. */
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

/** The newest page while there is a network, the stored one when there is none or it takes too long. */
export async function answerNavigation(request: Request): Promise<Response> {
  const stored = await find(INDEX);
  if (!stored) return fetch(request);
  const late = new Promise<Response>((resolve) => {
    setTimeout(() => resolve(stored), PATIENCE);
  });
  const fresh = fetch(request).then((response) => (response.status >= 500 ? stored : response));
  return Promise.race([fresh, late]).catch(() => stored);
}

/** A file of the app: stored under its name, which changes with its content, or else from the network. */
export async function answerFile(request: Request): Promise<Response> {
  return (await find(request)) ?? fetch(request);
}

export function isShellFile(path: string): boolean {
  return files.includes(path);
}

/** Only in this version's own cache: another's files may not fit. */
async function find(request: Request | string): Promise<Response | undefined> {
  const cache = await caches.open(NAME);
  return cache.match(request, { ignoreSearch: true, ignoreVary: true });
}
