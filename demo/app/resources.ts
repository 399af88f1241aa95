import { Resource } from 'offstage';
import type { RestEvent } from 'offstage';

/**
 * The collection. `changes` is held by the server until there is something new. It begins with all that happened since
 * change number `since`; from then on the worker sends the last answer's ETag along, which goes before.
 */
export const photos = new Resource({
  list: { method: 'GET', url: '/api/photos{?size,q}' },
  changes: { method: 'GET', url: '/api/photos/changes{?size,since}' },
  get: { method: 'GET', url: '/api/photos/{id}/{size=medium}', check: { id: /^\d+$/ } },
  create: { method: 'POST', url: '/api/photos' },
  update: { method: 'PUT', url: '/api/photos/{id}', check: { id: Resource.REQUIRED } },
  remove: { method: 'DELETE', url: '/api/photos/{id}', check: { id: Resource.REQUIRED } },
});

/** What the server says of itself, and what goes wrong with it on purpose. */
export const server = new Resource({
  stats: { method: 'GET', url: '/api/stats' },
  palettes: { method: 'GET', url: '/api/palettes' },
  trouble: { method: 'GET', url: '/api/trouble', cache: 'network-only' },
  makeTrouble: { method: 'POST', url: '/api/trouble' },
  endTrouble: { method: 'DELETE', url: '/api/trouble' },
});

/** A photo is changed as JSON; it is created as a form, which needs no word. */
photos.configureRequest((request, action) => {
  if (action === 'update') request.setRequestHeader('Content-Type', 'application/json');
});

/** Calls for every answer that came over the network, whatever it answered. */
export function onServerAnswer(listener: () => void): void {
  const hear = ({ servedFrom }: RestEvent): void => {
    if (servedFrom === 'network') listener();
  };
  photos.addListener('success', hear);
  server.addListener('success', hear);
}
