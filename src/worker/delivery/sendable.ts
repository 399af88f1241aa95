import { messageOf } from '../../shared/message-of.ts';
import type { Delivered } from '../../shared/protocol.ts';

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
