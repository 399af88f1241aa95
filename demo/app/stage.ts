import type { OwnPart } from './account.ts';
import { announce } from './announce.ts';
import type { Collection } from './collection.ts';
import type { Editor } from './editor.ts';
import { find } from './element.ts';
import type { PhotoId } from './photo.ts';
import { followRoute, readdress, readRoute } from './route.ts';
import type { Route } from './route.ts';
import type { Viewer } from './viewer.ts';
import type { Wall } from './wall.ts';

const KEY = 'backstage';
const OWN_VIEWS: readonly Route['view'][] = ['photo', 'edit', 'new'];

/** Which panes are to be seen: by the address, by the room there is, and by whether Backstage is open. */
export class Stage implements OwnPart {
  readonly #wide = matchMedia('(min-width: 1080px)');
  readonly #toggle = find('#backstage-toggle', HTMLButtonElement);
  #open = localStorage.getItem(KEY) !== 'closed';
  #route: Route = { view: 'collection' };
  #views: Views | null = null;
  /** True while a user is signed in, whose photos the address may name. */
  #begun = false;

  constructor() {
    this.#toggle.addEventListener('click', () => {
      this.#open = !this.#open;
      localStorage.setItem(KEY, this.#open ? 'open' : 'closed');
      this.#render();
    });
    this.#render();
  }

  /** Whether the panels that show the worker can be seen. */
  get backstageIsSeen(): boolean {
    return this.#wide.matches ? this.#open : ['pulse', 'backstage'].includes(this.#route.view);
  }

  follow(views: Views): void {
    this.#views = views;
    followRoute((route, isFirst) => {
      const before = this.#route;
      this.#route = route;
      this.#showViews();
      this.#render();
      if (isFirst) return;
      this.#moveFocus(before, views.wall);
      if (route.view === 'collection') announce(`${views.collection.state.total} photos`);
    });
  }

  /** The server has numbered a new photo. Where that is looked at or edited, it goes on so, under its new address. */
  rename(temporaryId: PhotoId, id: PhotoId): void {
    const route = this.#route;
    if (!('id' in route) || route.id !== temporaryId) return;
    this.#route = { ...route, id };
    readdress(this.#route);
    this.#views?.wall.select(id);
    this.#views?.viewer.rename(id);
    this.#views?.editor.rename(id);
  }

  begin(): void {
    this.#begun = true;
    this.#showViews();
    this.#render();
  }

  /** An address that names a photo, or one that waits, names it for one user only. */
  end(): void {
    this.#begun = false;
    const route = readRoute(location.hash);
    if ('id' in route || 'entry' in route) readdress({ view: 'collection' });
    this.#route = readRoute(location.hash);
    this.#showViews();
    this.#render();
  }

  /** Without a user there is no photo to show, and nobody to make one for. */
  get #view(): Route['view'] {
    const { view } = this.#route;
    return this.#begun || !OWN_VIEWS.includes(view) ? view : 'collection';
  }

  #showViews(): void {
    const route = this.#route;
    const id = 'id' in route ? route.id : null;
    const view = this.#view;
    document.title = 'Contact Sheet';
    this.#views?.wall.select(id);
    if (view === 'photo' && id !== null) this.#views?.viewer.show(id);
    else this.#views?.viewer.hide();
    if (view === 'new') void this.#views?.editor.create('entry' in route ? route.entry : null);
    else if (view === 'edit' && id !== null) void this.#views?.editor.edit(id);
    else this.#views?.editor.hide();
  }

  #render(): void {
    const { body } = document;
    const view = this.#view;
    body.dataset['view'] = view;
    body.dataset['backstage'] = this.#open ? 'open' : 'closed';
    this.#toggle.setAttribute('aria-pressed', String(this.#open));
    find('#side-empty', HTMLElement).hidden = OWN_VIEWS.includes(view);
    for (const tab of document.querySelectorAll<HTMLElement>('[data-tab]')) {
      const current = tab.dataset['tab'] === (view === 'photo' || view === 'edit' ? 'collection' : view);
      if (current) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
  }

  /** A new view begins at its heading; the sheet goes on at the photo that was looked at, or shows what is new. */
  #moveFocus(before: Route, wall: Wall): void {
    const view = this.#view;
    if (view === 'collection') {
      if ('id' in before) wall.focus(before.id);
      // Where all views share the window, it was scrolled for the one before.
      else if (!this.#wide.matches) window.scrollTo({ top: 0 });
      return;
    }
    const heading = {
      photo: '#viewer h2',
      edit: '#editor h2',
      new: '#editor h2',
      pulse: '#pulse-title',
      log: '#log-title',
      backstage: '#worker-title',
    }[view];
    find(heading, HTMLElement).focus({ preventScroll: this.#wide.matches });
    const pane = this.#wide.matches ? find('#side', HTMLElement) : window;
    pane.scrollTo({ top: 0 });
  }
}

interface Views {
  readonly collection: Collection;
  readonly wall: Wall;
  readonly viewer: Viewer;
  readonly editor: Editor;
}
