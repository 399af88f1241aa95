import { connect, Resource, RestStore } from 'offstage';

const serviceWorker = new URLSearchParams(location.search).get('worker') ?? '/service-worker.js';
const connection = connect({ serviceWorker });

const photo = new Resource({
  get: { method: 'GET', url: '/photo/{id}/{size=medium}', check: { id: Resource.REQUIRED } },
});
const store = new RestStore(photo, 'get');

photo.addListener('getError', () => (document.title = 'getError'));
store.addEventListener('changeModel', () => {
  const model: unknown = store.model;
  const title = model !== null && typeof model === 'object' && 'title' in model ? String(model.title) : '';
  document.title = connection.host === 'service-worker' ? title : `The host is ${String(connection.host)}`;
});

const id: number = photo.get({ id: 1 });
console.log('asked', id);
