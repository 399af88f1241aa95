import { readId } from './photo.ts';
import type { PhotoId } from './photo.ts';

/** Where the page is: kept in the address after `#`, so that back, forward and reload work. */
export type Route =
  | { readonly view: 'collection' | 'pulse' | 'log' | 'backstage' }
  /** `entry` names a new photo that waits in the outbox. */
  | { readonly view: 'new'; readonly entry: string | null }
  | { readonly view: 'photo' | 'edit'; readonly id: PhotoId };

export function readRoute(hash: string): Route {
  const [view = '', id = '', mode] = hash.replace(/^#\/?/, '').split('/');
  switch (view) {
    case 'photo':
      return /^(\d+|temporary-\w+)$/.test(id)
        ? { view: mode === 'edit' ? 'edit' : 'photo', id: readId(id) }
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

/** The page is where it was, under another address. */
export function readdress(route: Route): void {
  history.replaceState(history.state, '', addressOf(route));
}

/** Calls at once and whenever the address changes; `isFirst` says which of both. */
export function followRoute(listener: (route: Route, isFirst: boolean) => void): void {
  listener(readRoute(location.hash), true);
  addEventListener('hashchange', () => listener(readRoute(location.hash), false));
}
