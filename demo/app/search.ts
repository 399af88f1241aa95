import type { OwnPart } from './account.ts';
import type { Collection } from './collection.ts';
import { find } from './element.ts';

/** How long somebody who types is let be. */
const PAUSE = 250;

export function startSearch(collection: Collection): OwnPart {
  const form = find('#search', HTMLFormElement);
  const input = find('#query', HTMLInputElement);
  let timer = 0;
  const search = (): void => {
    clearTimeout(timer);
    collection.search(input.value.trim());
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    search();
  });
  return {
    begin: search,
    end() {
      clearTimeout(timer);
      input.value = '';
    },
  };
}
