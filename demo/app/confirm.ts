import { fill, find } from './element.ts';

/** Asks before something that cannot be undone; Escape means no. */
export function confirm(title: string, text: string, go: string): Promise<boolean> {
  const dialog = find('#confirm', HTMLDialogElement);
  fill(dialog, { title, text, go });
  dialog.returnValue = 'keep';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'go'), { once: true });
  });
}
