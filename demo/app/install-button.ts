import { find } from './element.ts';

/** Offers to install the app where the browser lets a page ask (Chromium's `beforeinstallprompt`). */
export function startInstallButton(): void {
  const button = find('#install', HTMLButtonElement);
  let ask: (() => void) | null = null;
  addEventListener('beforeinstallprompt', (event) => {
    const { prompt } = event as Event & { readonly prompt?: () => Promise<unknown> };
    if (!prompt) return;
    event.preventDefault();
    ask = () => void prompt.call(event);
    button.hidden = false;
  });
  button.addEventListener('click', () => {
    ask?.();
    button.hidden = true;
  });
  addEventListener('appinstalled', () => {
    button.hidden = true;
  });
}
