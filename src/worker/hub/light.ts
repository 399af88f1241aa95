import { sizeOfPatch } from '../../shared/patch.ts';
import type { Delivery, SentBody } from '../../shared/protocol.ts';

/** Characters of JSON that a page takes in its stride. */
const LIGHT = 8_192;

/** What is told in few words: the next that is told, or a greeting, shows whether the page has missed it. */
export function isLight(delivery: Delivery): boolean {
  switch (delivery.kind) {
    case 'tick':
      return !delivery.entry && (delivery.outcome.kind === 'failed' || isSmall(delivery.outcome.answer.body));
    case 'settled':
      return delivery.outcome.kind === 'failed' || isSmall(delivery.outcome.answer.body);
    case 'ticking':
    case 'sent':
    case 'progress':
    case 'origin':
      return true;
    default:
      return false;
  }
}

function isSmall(body: SentBody): boolean {
  if (body.kind === 'unsent') return true;
  if (body.kind === 'json') return body.text.length <= LIGHT;
  if (body.kind !== 'patches') return false;
  return body.patches.reduce((sum, patch) => sum + sizeOfPatch(patch), 0) <= LIGHT;
}
