import { fill, find } from '../element.ts';
import type { Waiting } from './waiting.ts';
import { needsDecision, summaryOf } from './waiting-write.ts';

/** The badge in the bar: how many changes wait, and whether any of them waits for a decision. */
export function startOutboxButton(waiting: Waiting, open: () => void): void {
  const button = find('#outbox-button', HTMLButtonElement);
  button.addEventListener('click', open);
  waiting.subscribe((writes) => {
    const count = writes.length;
    fill(button, { count: count === 0 ? '' : count > 99 ? '99+' : String(count) });
    button.dataset['state'] = writes.some((write) => needsDecision(write)) ? 'decide' : 'wait';
    button.setAttribute('aria-label', `Outbox: ${summaryOf(writes)}`);
  });
}
