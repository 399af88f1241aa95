import { messageOf } from '../../shared/message-of.ts';
import type { Delivered, Delivery } from '../../shared/delivery.ts';

/** The same, but for an outcome that no message can carry: its page is told so, rather than nothing. */
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
 * The buffers that go to the page rather than a copy of them: the bytes that a call was answered with are nobody else's
 * by then, as what was to be stored is stored. Those of a loop are for other pages too.
 */
export function transferredWith(batch: readonly Delivered[]): ArrayBuffer[] {
  return batch.flatMap((delivery) => bytesOf(delivery) ?? []);
}

/** Whether a delivery has gone to a page with its bytes, and so cannot be told again. */
export function isSpent(delivery: Delivery): boolean {
  // An empty body is null, and has no bytes.
  return bytesOf(delivery)?.byteLength === 0;
}

function bytesOf(delivery: Delivery): ArrayBuffer | null {
  if (delivery.kind !== 'settled' || delivery.outcome.kind === 'failed') return null;
  const { body } = delivery.outcome.answer;
  return body.kind === 'bytes' ? body.bytes : null;
}
