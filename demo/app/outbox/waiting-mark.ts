import type { WaitingWrite } from './waiting-write.ts';
import { badgeOf, foremost } from './waiting-write.ts';

/** Marks a photo that a change waits for: in a word and a shape, not by colour alone. It lies over the picture, so that nothing moves. */
export function paintMark(mark: HTMLElement, writes: readonly WaitingWrite[]): void {
  const write = foremost(writes);
  const text = write ? badgeOf(write) : '';
  mark.hidden = write === null;
  if (mark.textContent !== text) mark.textContent = text;
  if (write) mark.dataset['state'] = write.entry.state;
}
