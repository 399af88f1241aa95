import type { Delivered, Delivery } from '../../shared/protocol.ts';

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
