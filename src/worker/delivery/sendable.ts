import { messageOf } from '../../shared/failure.ts';
import type { Delivered, Delivery, SentBody } from '../../shared/delivery.ts';
import { sizeOfPatch } from '../../shared/patch.ts';

/** Characters of JSON that cost a page next to nothing. */
const LIGHT = 8_192;

/** The delivery itself, or a failed outcome in the place of one that no message can carry. */
export function sendable(delivered: Delivered): Delivered {
  if (!('outcome' in delivered)) return delivered;
  try {
    structuredClone(delivered);
    return delivered;
  } catch (error) {
    const message = `No message can carry the outcome: ${messageOf(error)}`;
    const failure = { code: 'protocol', message } as const;
    return { ...delivered, outcome: { kind: 'failed', failure, answer: null, request: null } };
  }
}

/**
 * The buffers that are transferred to the page rather than copied: nobody else needs the bytes of a call's answer,
 * which are stored by then. Those of a loop are for other pages too.
 */
export function transferredWith(batch: readonly Delivered[]): ArrayBuffer[] {
  return batch.flatMap((delivery) => bytesOf(delivery) ?? []);
}

/** True for a delivery whose bytes were transferred: it cannot be sent again. */
export function isSpent(delivery: Delivery): boolean {
  // An empty body is null, and has no bytes.
  return bytesOf(delivery)?.byteLength === 0;
}

function bytesOf(delivery: Delivery): ArrayBuffer | null {
  if (delivery.kind !== 'settled' || delivery.outcome.kind === 'failed') return null;
  const { body } = delivery.outcome.answer;
  return body.kind === 'bytes' ? body.bytes : null;
}

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
