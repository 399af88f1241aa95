import { appendRow, changeRow, removeRow, Resource, RestStore } from 'offstage';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const shelf = new Resource(
  {
    list: { method: 'GET', url: '/shelf' },
    add: {
      method: 'POST',
      url: '/shelf',
      headers: JSON_TYPE,
      offline: 'queue',
      creates: '/id',
      optimistic: { list: appendRow },
    },
    rename: {
      method: 'PATCH',
      url: '/shelf/{id}',
      headers: JSON_TYPE,
      offline: 'queue',
      optimistic: { list: changeRow },
    },
    remove: { method: 'DELETE', url: '/shelf/{id}', offline: 'queue', optimistic: { list: removeRow } },
    /** Not queued. */
    like: { method: 'PUT', url: '/shelf/{id}', headers: JSON_TYPE, optimistic: { list: changeRow } },
  },
  { name: 'shelf' },
);

/** What this page has shown of the list since it began to follow it: the titles, each time that they were others. */
export interface Shown {
  readonly titles: string[];
  /** The same of the model of a store. */
  readonly models: string[];
}

/** Follows the list by a poll that asks so often, in milliseconds. */
export function follow(interval: number): Shown {
  const query = shelf.query('list', {}, { interval });
  const store = new RestStore(shelf, 'list');
  const shown: Shown = { titles: [], models: [] };
  query.subscribe(() => note(shown.titles, query.snapshot.data));
  store.addEventListener('changeModel', ({ value }) => note(shown.models, value));
  return shown;
}

function note(all: string[], rows: unknown): void {
  if (!Array.isArray(rows)) return;
  const now = rows.map(({ title }: { readonly title: unknown }) => title).join(' ');
  if (all.at(-1) !== now) all.push(now);
}

/** Adds a thing; its temporary id. */
export async function add(title: string): Promise<string> {
  const end: unknown = await shelf.result(shelf.add(null, { title }));
  return String(Object(end).entry.temporaryId);
}

export async function rename(id: string | number, title: string): Promise<void> {
  await shelf.result(shelf.rename({ id }, { title }));
}

export async function remove(id: string | number): Promise<void> {
  await shelf.result(shelf.remove({ id }));
}

/** Calls without queueing; how it has ended. */
export async function like(id: number, title: string): Promise<string> {
  return shelf.result(shelf.like({ id }, { title })).then(
    () => 'done',
    () => 'failed',
  );
}
