import type { Call } from '../../shared/guard.ts';
import type { Receipt, Reply } from '../../shared/protocol.ts';

/** The receipt of a batch that comes before a greeting: none of it is taken. */
export const STRANGE_BATCH: Receipt = { declined: [], stranger: true };

/** The reply to a command that comes before a greeting: it has no effect. */
export const STRANGE_COMMAND: Reply = { kind: 'stranger' };

/** What a call is answered with by a life of the worker that its session has not greeted. */
export function strangerTo({ path: [name] }: Call): Receipt | Reply {
  return name === 'submit' ? STRANGE_BATCH : STRANGE_COMMAND;
}
