// What a worker does so that its page starts without a server: it keeps what the page loads.

/** @param {any} worker The global of a service worker. */
export function serveShell(worker) {
  const { pathname: scope } = new URL(worker.registration.scope);
  worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
  worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
  worker.addEventListener('fetch', (event) => {
    const { pathname, origin } = new URL(event.request.url);
    if (origin === worker.location.origin && pathname.startsWith(scope))
      event.respondWith(shell(event.request));
  });
}

async function shell(request) {
  const kept = await caches.open('shell');
  const { pathname } = new URL(request.url);
  const found = await kept.match(pathname);
  if (found) return found;
  const response = await fetch(request);
  await kept.put(pathname, response.clone());
  return response;
}
