import type { Outcome } from '../../shared/outcome.ts';
import type { Addressee, Delivery, SentBody } from '../../shared/delivery.ts';
import type { Chunks, ReadOutcome } from './read-body.ts';

/** One delivery, or several in a row, each made when it is its turn. */
export type Deliveries = Delivery | readonly (() => Delivery)[];

/** The outcome that is told as `last`, with the chunks before it that its body has. */
export function inChunks(
  outcome: ReadOutcome,
  sent: Outcome<SentBody>,
  to: Addressee,
  last: () => Delivery,
): Deliveries {
  const chunks = sent.kind === 'answered' && sent.answer.body.kind === 'chunked' ? chunksIn(outcome) : null;
  if (chunks === null) return last();
  const each = Array.from({ length: chunks.count }, (_, index) => (): Delivery => ({
    kind: 'chunk',
    to,
    index,
    path: chunks.path,
    text: chunks.text(index),
  }));
  return [...each, last];
}

function chunksIn(outcome: ReadOutcome): Chunks | null {
  if (outcome.kind === 'failed') return null;
  const { body } = outcome.answer;
  return body.kind === 'json' ? body.chunks : null;
}

/** A step on the way of a request, told to whoever asked for it. */
export type StepDelivery = (to: Addressee) => Delivery;
