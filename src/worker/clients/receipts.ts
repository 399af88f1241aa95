import type { Delivered } from '../../shared/delivery.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Call } from '../../shared/guard.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Receipt, Refused, Reply, Submission } from '../../shared/protocol.ts';
import { validateSubmission } from './validate.ts';

/**
 * A receipt says which calls of a batch are taken. A message of its own costs as much as all else of a call, so a receipt
 * that nobody waits for goes later, and takes small deliveries along. It goes once, as soon as one of these holds:
 *
 * ```
 * page                                         worker
 * session/sender ══ submit(batch) ═══════════> clients/page ── sorted: declined, refused, taken
 *                                                  │
 *                <═ receipt ══════════════════     ├─ a call is refused, and waits to hear it
 *                                                  ├─ else clients/calls has the taken ones run
 *                <═ receipt and deliveries ═══     ├─ delivery/mailbox has a small batch for the page
 *                <═ receipt and none ═════════     ├─ the page greets: it waits for receipts no more
 *                <═ receipt ══════════════════     └─ all are answered, each in a larger batch, and stored
 *
 * session/transport ── hands on the deliveries as the message comes, even of a worker that was lost since: each has its
 *     │                place in a sequence, so session/inbox takes it once and notices what is missing before it
 * session/sender ── sends the declined again, fails the refused, greets a worker to which it is a stranger
 * ```
 */
export async function receiptFor({ receipt, taken }: SortedBatch, ports: ReceiptPorts): Promise<Receipt> {
  const carrier: Carrier = (deliveries) => ports.answer({ ...receipt, deliveries });
  const withdraw = receipt.refused ? null : ports.carry(carrier);
  const answered = taken.map(ports.take);
  if (!withdraw) return receipt;
  await Promise.all(answered);
  return withdraw() ? receipt : unanswered();
}

export interface ReceiptPorts {
  /** Answers the batch instead of the returned promise, which then never settles. */
  readonly answer: (receipt: Receipt) => void;
  /** Has the next small deliveries go by the carrier: see `Mailbox.carry`. */
  readonly carry: (carrier: Carrier) => (() => boolean) | null;
  /** Resolves when the call's outcome is stored, and on its way to the page. */
  readonly take: (call: Submission) => Promise<void>;
}

type Carrier = (deliveries: readonly Delivered[]) => void;

export interface SortedBatch {
  readonly receipt: Receipt;
  /** The calls that are neither declined nor refused. */
  readonly taken: readonly Submission[];
}

/** A page that `isToGreet` sends its reads again. A write that it posted as it went is sent by nobody else. */
export function sorted(
  batch: readonly Submission[],
  isToGreet: boolean,
  refuse: (call: Submission) => Failure | null = () => null,
): SortedBatch {
  const declined = isToGreet ? batch.filter(isRead) : [];
  const validated = batch
    .filter((call) => !declined.includes(call))
    .map((call) => ({ call, failure: validateSubmission(call) ?? refuse(call) }));
  const refused = validated.flatMap(({ call: { id }, failure }): Refused[] =>
    failure ? [{ id, failure }] : [],
  );
  return {
    receipt: { ...decline(declined), ...(refused.length > 0 && { refused }) },
    taken: validated.filter(({ failure }) => failure === null).map(({ call }) => call),
  };
}

/** The receipt of calls that another worker instance is to take, or this one after the next greeting. */
export function decline(batch: readonly Submission[]): Receipt {
  return { declined: batch.map(({ id }) => id), stranger: false };
}

export function isRead({ invocation }: Submission): boolean {
  return isSafe(invocation.method);
}

/** The receipt of a batch that comes before a greeting: none of it is taken. */
export const STRANGE_BATCH: Receipt = { declined: [], stranger: true };

/** The reply to a command that comes before a greeting: it has no effect. */
export const STRANGE_COMMAND: Reply = { kind: 'stranger' };

/** The answer of a worker instance that the session of this call has not greeted. */
export function strangerTo({ path: [name] }: Call): Receipt | Reply {
  return name === 'submit' ? STRANGE_BATCH : STRANGE_COMMAND;
}

/** Never settles: the page does not wait for it, or asks the next worker. One for all would remember every call. */
export function unanswered(): Promise<never> {
  return new Promise(() => {});
}
