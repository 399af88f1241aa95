import { find } from './element.ts';

let timer = 0;
let pending: readonly string[] = [];

/** Tells those who listen to the page what those who look at it can see. No text: what has not been told yet is not told. */
export function announce(text: string): void {
  clearTimeout(timer);
  pending = text === '' ? [] : [...pending, text];
  for (const region of regions()) region.textContent = '';
  // An empty moment in between makes the same words news again.
  timer = setTimeout(() => {
    const [region] = regions();
    if (region) region.textContent = pending.join(' ');
    pending = [];
  }, 50);
}

/** Behind an open dialog nothing is read out, so that its own region comes first. */
function regions(): HTMLElement[] {
  const own = document.querySelector<HTMLElement>('dialog[open] [role=status]');
  return [...(own ? [own] : []), find('#announcements', HTMLElement)];
}
