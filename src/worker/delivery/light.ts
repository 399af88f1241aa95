import { sizeOfPatch } from '../../shared/patch.ts';
import type { Delivery, SentBody } from '../../shared/delivery.ts';

/** Characters of JSON that cost a page next to nothing. */
const LIGHT = 8_192;

/** True for a delivery that is small, and that needs no acknowledgement: the next one shows whether it was missed. */
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
  switch (body.kind) {
    case 'unsent':
      return true;
    case 'value':
      return isShort(body.value);
    case 'json':
      return body.text.length <= LIGHT;
    case 'patches':
      return body.patches.reduce((sum, patch) => sum + sizeOfPatch(patch), 0) <= LIGHT;
    default:
      return false;
  }
}

/** True for a value whose JSON text is short, about. It looks no further into a long one than it must. */
function isShort(root: unknown): boolean {
  const left = [root];
  let room = LIGHT;
  for (let value = left.pop(); value !== undefined && room >= 0; value = left.pop()) {
    room -= typeof value === 'string' ? value.length + 1 : 1;
    if (typeof value !== 'object' || value === null) continue;
    // Not all at once: there may be a million of them.
    for (const name in value) {
      room -= name.length + 1;
      if (room < 0) return false;
      left.push(Reflect.get(value, name));
    }
  }
  return room >= 0;
}
