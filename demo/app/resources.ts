import { Resource } from 'offstage';
import type { InputParams, RestEvent, RestResource } from 'offstage';
import { addToListing, changeInListing, changePhoto, removeFromListing } from './shown-at-once.ts';

/**
 * The collection. `changes` is held by the server until there is something new. It begins with all that happened since
 * change number `since`; from then on the worker sends the last answer's ETag along, which goes before.
 *
 * What changes a photo is queued, so that it needs no network. The worker sends it with the ETag of the photo that was
 * looked at (`get` and `update` have one address), so that nobody's change is lost unseen. Each photo has a lane of its own:
 * a change that waits for a decision holds those of the same photo alone.
 *
 * What waits is shown at once (`optimistic`). A new photo has a temporary id until the server has numbered it (`creates`), by
 * which it can be changed and deleted like any other.
 */
export const photos = new Resource(
  {
    list: { method: 'GET', url: '/api/photos{?size,q}' },
    changes: { method: 'GET', url: '/api/photos/changes{?size,since}' },
    get: { method: 'GET', url: '/api/photos/{id}', check: { id: /^(\d+|temporary-\w+)$/ } },
    create: {
      method: 'POST',
      url: '/api/photos',
      offline: 'queue',
      lane: () => 'new photos',
      creates: '/id',
      optimistic: { list: addToListing },
    },
    update: {
      method: 'PUT',
      url: '/api/photos/{id}',
      check: { id: Resource.REQUIRED },
      offline: 'queue',
      lane: laneOf,
      optimistic: { list: changeInListing, get: changePhoto },
    },
    remove: {
      method: 'DELETE',
      url: '/api/photos/{id}',
      check: { id: Resource.REQUIRED },
      offline: 'queue',
      lane: laneOf,
      optimistic: { list: removeFromListing },
    },
  },
  { name: 'photos' },
);

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
export function onServerAnswer(listener: (event: RestEvent) => void): void {
  const hear = (event: RestEvent): void => {
    if (event.servedFrom === 'network') listener(event);
  };
  for (const resource of RESOURCES) resource.addListener('success', hear);
}

function laneOf({ id }: InputParams): string {
  return `photo ${typeof id === 'string' ? id : Number(id)}`;
}
