import { withKey } from '../contracts/idempotency-key.ts';
import type { Services } from './services.ts';

/** An outbox that takes nothing: what is to be queued is sent. */
export const NO_OUTBOX: Services['outbox'] = {
  add: () => Promise.reject(new Error('Nothing is stored here')),
  sendUnqueued: ({ key }, invocation, send) => send(withKey(invocation, key)),
  introduce: async () => {},
  list: async () => ({ entries: [], next: null }),
  decide: async () => 'absent',
  withdraw: async () => {},
  succeeded: async () => {},
  rest: () => {},
  discardAll: async () => {},
  named: async (invocation) => invocation,
  mayWait: async () => false,
  hold: () => () => {},
  online: () => {},
  renewed: () => {},
  idle: async () => {},
};
