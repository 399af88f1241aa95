// The limits of docs/guide/limits.md. Each has its error where it is enforced.

/** Characters of an expanded URL. */
export const urlLength = 16_384;
/** Characters of a parameter that a check looks at. */
export const checkedLength = 4_096;
/** Milliseconds: the shortest interval of a poll. */
export const pollInterval = 100;
/** Loops of all pages of an origin together. */
export const loops = 200;
/** Loops of one session of a page. */
export const sessionLoops = 100;
/** Connections of one page. */
export const sessions = 16;
/** Invocations of one session that are under way. */
export const calls = 5_000;
/** Invocations that travel in one message. */
export const batch = 5_000;
/** Bytes of bodies, and characters of parameters and headers, in one message. */
export const messageSize = 67_108_864;
/** Bytes of one answer, as they come out of the content coding, when nothing else was said. */
export const answerSize = 67_108_864;
/** Bytes of an answer with a status of 400 or more that are parsed. */
export const errorSize = 1_048_576;
/** Bytes of all answers together that are being read. */
export const answersSize = 268_435_456;
/** Settled invocations that `result(id)` still knows. */
export const results = 1_000;
/** Bytes of their answers that are held for that alone. */
export const resultBytes = 8_388_608;
/** Milliseconds that a call has when nothing else was said. */
export const timeout = 30_000;
/** Milliseconds after which a long-poll that was told nothing asks afresh: the watchdog. */
export const longPollTimeout = 60_000;
/** Answers that a feed's log keeps for pages that have not taken them yet. */
export const feedEntries = 1_000;
/** Bytes of those answers. */
export const feedBytes = 8_388_608;
/** Seconds that `Prefer: wait` may ask a server to hold a request: proxies cut what takes half a minute. */
export const longPollWait = 25;
/** Milliseconds over which long-polls that were cut all at once may ask again, at most and by default. */
export const spread = 3_600_000;
export const defaultSpread = 3_000;
/** Long-polls of one origin that are out at a time: HTTP/1.1 has six connections a host, and pages need some. */
export const longPolls = 4;
/** Milliseconds that a long-poll may be out at the least, before it is cut for one that waits. */
export const longPollSlice = 5_000;
/**
 * Requests of the worker that are out at a time. A browser has some hundred connections at most, and refuses requests
 * beyond some thousand that wait for one (Chromium: ERR_INSUFFICIENT_RESOURCES), as if the network had failed.
 */
export const requests = 256;
/** Those of them that are for loops alone. */
export const requestsOfLoops = 16;
/** Bytes of the answers that others are compared with, and of where their rows lie. */
export const bases = 67_108_864;
/** Rows of a window. */
export const windowRows = 10_000;
/** Origins whose status is known. */
export const origins = 100;
