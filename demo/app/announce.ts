import { find } from './element.ts';

/** Tells those who listen to the page what those who look at it can see. */
export function announce(text: string): void {
  const region = find('#announcements', HTMLElement);
  region.textContent = '';
  // An empty moment in between makes the same words news again.
  setTimeout(() => {
    region.textContent = text;
  }, 50);
}
