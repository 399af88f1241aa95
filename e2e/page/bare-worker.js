// A worker without the library: it tells the name of its instance, so that the harness can show that it stops one.

const instance = crypto.randomUUID();

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('message', (event) => event.source.postMessage(instance, []));
