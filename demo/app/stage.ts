import { announce } from './announce.ts';
import type { Collection } from './collection.ts';
import type { Editor } from './editor.ts';
import { find } from './element.ts';
import { followRoute } from './route.ts';
import type { Route } from './route.ts';
import type { Viewer } from './viewer.ts';
import type { Wall } from './wall.ts';

const KEY = 'backstage';

/** Which panes are to be seen: by the address, by the room there is, and by whether Backstage is open. */
export class Stage {
  readonly #wide = matchMedia('(min-width: 1080px)');
  readonly #toggle = find('#backstage-toggle', HTMLButtonElement);
  #open = localStorage.getItem(KEY) !== 'closed';
  #route: Route = { view: 'collection' };

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

  follow(collection: Collection, wall: Wall, viewer: Viewer, editor: Editor): void {
    followRoute((route, before) => {
      this.#route = route;
      const id = 'id' in route ? route.id : null;
      document.title = 'Contact Sheet';
      wall.select(id);
      if (route.view === 'photo') viewer.show(route.id);
      else viewer.hide();
      if (route.view === 'new') editor.create();
      else if (route.view === 'edit') void editor.edit(route.id);
      else editor.hide();
      this.#render();
      if (before) this.#moveFocus(route, before, wall);
      if (before && route.view === 'collection') announce(`${collection.state.total} photos`);
    });
  }

  #render(): void {
    const { body } = document;
    const { view } = this.#route;
    body.dataset['view'] = view;
    body.dataset['backstage'] = this.#open ? 'open' : 'closed';
    this.#toggle.setAttribute('aria-pressed', String(this.#open));
    find('#side-empty', HTMLElement).hidden = ['photo', 'edit', 'new'].includes(view);
    for (const tab of document.querySelectorAll<HTMLElement>('[data-tab]')) {
      const current = tab.dataset['tab'] === (view === 'photo' || view === 'edit' ? 'collection' : view);
      if (current) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
  }

  /** A new view begins at its heading; the sheet goes on where it was left. */
  #moveFocus(route: Route, before: Route, wall: Wall): void {
    if (route.view === 'collection') {
      if ('id' in before) wall.focus(before.id);
      return;
    }
    const heading = {
      photo: '#viewer h2',
      edit: '#editor h2',
      new: '#editor h2',
      pulse: '#pulse-title',
      log: '#log-title',
      backstage: '#worker-title',
    }[route.view];
    find(heading, HTMLElement).focus({ preventScroll: this.#wide.matches });
    if (!this.#wide.matches) scrollTo({ top: 0 });
  }
}
