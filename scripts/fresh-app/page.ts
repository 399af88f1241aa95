import { connect, Resource, RestStore } from 'offstage';
import { List, ListController } from 'offstage/list';

const serviceWorker = new URLSearchParams(location.search).get('worker') ?? '/service-worker.js';
const connection = connect({ serviceWorker });

const photo = new Resource({
  get: { method: 'GET', url: '/photo/{id}/{size=medium}', check: { id: Resource.REQUIRED } },
});
const store = new RestStore(photo, 'get');

const list = new List();
document.body.append(list);
const isThere = (row: { readonly id: number } | null): boolean => row !== null;
const controller = new ListController(null, list, 'title', { filter: isThere });
store.bind('model', controller, (model) => (controller.model = [model]));

photo.addListener('getError', () => (document.title = 'getError'));
store.addEventListener('changeModel', async () => {
  const model: unknown = store.model;
  const title = model !== null && typeof model === 'object' && 'title' in model ? String(model.title) : '';
  // The first answer may come before there is a worker.
  await connection.ready;
  document.title = connection.host === 'service-worker' ? title : `The host is ${String(connection.host)}`;
});

const id: number = photo.get({ id: 1 });
console.log('asked', id);
