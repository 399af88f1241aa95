/** Where the page is: kept in the address after `#`, so that back, forward and reload work. */
export type Route =
  | { readonly view: 'collection' | 'pulse' | 'log' | 'backstage' }
  /** `entry` names a new photo that waits in the outbox. */
  | { readonly view: 'new'; readonly entry: string | null }
  | { readonly view: 'photo' | 'edit'; readonly id: number };

export function readRoute(hash: string): Route {
  const [view = '', id = '', mode] = hash.replace(/^#\/?/, '').split('/');
  switch (view) {
    case 'photo':
      return /^\d+$/.test(id)
        ? { view: mode === 'edit' ? 'edit' : 'photo', id: Number(id) }
        : { view: 'collection' };
    case 'new':
      return { view, entry: id === '' ? null : id };
    case 'pulse':
    case 'log':
    case 'backstage':
      return { view };
    default:
      return { view: 'collection' };
  }
}

export function addressOf(route: Route): string {
  switch (route.view) {
    case 'collection':
      return '#/';
    case 'photo':
      return `#/photo/${route.id}`;
    case 'edit':
      return `#/photo/${route.id}/edit`;
    case 'new':
      return route.entry === null ? '#/new' : `#/new/${route.entry}`;
    default:
      return `#/${route.view}`;
  }
}

export function go(route: Route): void {
  location.hash = addressOf(route);
}

/** Calls at once and whenever the address changes; `before` is null the first time. */
export function followRoute(listener: (route: Route, before: Route | null) => void): void {
  let current = readRoute(location.hash);
  listener(current, null);
  addEventListener('hashchange', () => {
    const before = current;
    current = readRoute(location.hash);
    listener(current, before);
  });
}
