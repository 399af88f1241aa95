import { messageOf } from '../../shared/message-of.ts';
import type { Delivered, Delivery } from '../../shared/delivery.ts';

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
