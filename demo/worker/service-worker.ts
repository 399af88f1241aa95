import { install } from 'offstage/worker';
import { answerPicture, isPicture, isPreview, paintPreview } from './pictures.ts';
import { answerFile, answerNavigation, dropOldShells, isShellFile, storeShell } from './shell.ts';

declare const self: ServiceWorkerGlobalScope;

// REST goes backstage here; Offstage never touches a fetch event, so those are the app's own.
install(self);

self.addEventListener('install', (event) => event.waitUntil(storeShell()));

self.addEventListener('activate', (event) => {
  // The first page was loaded without a worker; its pictures shall be kept all the same.
  event.waitUntil(Promise.all([dropOldShells(), self.clients.claim()]));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(answerNavigation(request));
  else if (isPicture(url)) event.respondWith(answerPicture(request, (work) => event.waitUntil(work)));
  else if (isPreview(url)) event.respondWith(paintPreview(url));
  else if (isShellFile(url.pathname)) event.respondWith(answerFile(request));
});
