// How long a page and its worker wait for each other, in milliseconds. A wait that relies on another is an expression
// of it; `deadlines.test.ts` checks the distances between them.

// Keepalive: the page asks, the worker holds that event and then answers, and the page asks again.

/** The worker holds one event for no longer. Browsers end a worker half a minute after its last event. */
export const KEEPALIVE_HOLD = 20_000;

/** A page that cannot see the worker's death takes it for dead when a keepalive is not answered within this time. */
export const KEEPALIVE_DEADLINE: number = KEEPALIVE_HOLD + 5_000;

/** The keepalive leader has so long to ask again after its answer. Then it is the next page's turn. */
export const LEADER_SILENCE = 2_000;

// Update: the worker drains, falls silent, and its successor takes over.

/** A worker that is to be replaced has so long to end calls that must not be sent twice. */
export const DRAIN_DEADLINE = 10_000;

/** The page that asked for the drain waits so long for the answer. */
export const DRAIN_ANSWER_DEADLINE: number = DRAIN_DEADLINE + 2_000;

/** A page that was told of the drain waits so long for the next worker. Then it greets the one that is there. */
export const REPLACEMENT_DEADLINE: number = DRAIN_DEADLINE + 5_000;

/**
 * A drained worker waits so long for its successor. One that does not come leaves the pages without a worker: the drained
 * one then begins anew, as an instance that they greet like any other.
 */
export const SUCCESSOR_DEADLINE = 10_000;

/** An update is given up when the drained worker begins anew. */
export const UPDATE_DEADLINE: number = DRAIN_DEADLINE + SUCCESSOR_DEADLINE;

// Presence: a page that crashes says nothing, so the worker looks for it.

/** A page that is gone has ended for the worker within this time (invariant 13). */
export const GONE_DEADLINE = 10_000;

/** Between two looks at all pages. */
export const ROLL_CALL = 4_000;

/** A look at one page takes no longer. Without another sign by then, the page counts as present. */
export const LOOK_DEADLINE = 500;

// Start: a page looks for its worker.

/** A service worker has so long to become active before the page does without it for a while. */
export const ACTIVATION_DEADLINE = 3_000;

/** A worker has so long to answer a greeting before it is greeted afresh. */
export const GREETING_DEADLINE = 3_000;

/** A worker has so long to answer a command that is given for its reply. */
export const COMMAND_DEADLINE = 10_000;

// Credentials: the worker asks a page, which asks its provider.

/** A page has so long to say that it asks its provider. Then the next page is asked. */
export const PROVIDER_SILENCE = 2_000;

/** Credentials that are good for a while yet serve after this time, though the next ones have not come. */
export const RENEWAL_PATIENCE = 2_000;

/** The providers of all pages together have so long to give credentials. */
export const PROVIDER_DEADLINE = 30_000;
