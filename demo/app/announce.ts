import { find } from './element.ts';

let timer = 0;

/** Tells those who listen to the page what those who look at it can see. */
export function announce(text: string): void {
  const region = find('#announcements', HTMLElement);
  region.textContent = '';
  clearTimeout(timer);
  // An empty moment in between makes the same words news again.
  timer = setTimeout(() => {
    region.textContent = text;
  }, 50);
}
