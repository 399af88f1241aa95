import { Resource } from 'offstage';
import type { RestEvent, RestResource } from 'offstage';

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

/**
 * What happened to the collection, change by change. The feed begins with the latest changes; its requests then name the
 * place that they go on from, by a cursor, and are held until there is another.
 */
export const news = new Resource({
  latest: { method: 'GET', url: '/api/changes' },
  feed: { method: 'GET', url: '/api/changes' },
});

/** What the server says of itself, and what goes wrong with it on purpose. */
export const server = new Resource({
  stats: { method: 'GET', url: '/api/stats' },
  palettes: { method: 'GET', url: '/api/palettes' },
  trouble: { method: 'GET', url: '/api/trouble', cache: 'network-only' },
  makeTrouble: { method: 'POST', url: '/api/trouble' },
  endTrouble: { method: 'DELETE', url: '/api/trouble' },
});

export const RESOURCES: readonly RestResource[] = [photos, news, server];

/** A photo is changed as JSON; it is created as a form, which needs no word. */
photos.configureRequest((request, action) => {
  if (action === 'update') request.setRequestHeader('Content-Type', 'application/json');
});

/** Calls for every answer that came over the network, whatever it answered. */
export function onServerAnswer(listener: () => void): void {
  const hear = ({ servedFrom }: RestEvent): void => {
    if (servedFrom === 'network') listener();
  };
  for (const resource of RESOURCES) resource.addListener('success', hear);
}
