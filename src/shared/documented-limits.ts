// The limits of docs/guide/limits.md, which limits.test.ts holds to them. Each has its error where it is enforced. Those
// of its limits that page and worker wait for each other are in deadlines.ts.

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
/** Milliseconds that a page which is gone may still come back: so long browsers keep pages in their back/forward cache. */
export const absence = 600_000;
/** Answers of one read that are dropped because of writes. Where others write all the time, the next one counts. */
export const droppedAnswers = 3;
/** Levels of JSON in an answer: a browser cannot copy a value to a page that is nested some thousands deep. */
export const jsonLevels = 1_000;
/** Bytes of a patch. */
export const patchSize = 8_388_608;
/** Bytes around the rows of an answer that are still parsed at once, in one or two milliseconds. */
export const envelopeSize = 262_144;
/** Bytes of rows in one text: to receive and parse it takes a page some milliseconds, however large the list. */
export const chunkSize = 262_144;
/** Arrangements of lists that are kept: each takes four bytes a row. */
export const arrangements = 16;
/** Objects in objects to which a page compares two answers. It takes what lies deeper as it is, for the stack has an end. */
export const comparedLevels = 200;
/** Values of a row without a name that a page looks for near by. */
export const comparedValues = 1_000;
/** Stored answers whose descriptions the worker has in memory. */
export const descriptions = 1_000;
/** Bytes that the stored answers of a partition may take. */
export const storedSize = 67_108_864;
/** Milliseconds that a loop is remembered after its last use. */
export const loopLifetime = 604_800_000;
/** Milliseconds for a database to open, in two attempts. Then the worker keeps answers and loops in memory. */
export const opening = 3_000;
/** Milliseconds for a transaction, from its beginning until it has completed. */
export const transaction = 2_000;
/** Milliseconds that a loop waits with its first request for what is stored. */
export const storedFirst = 2_000;
/** Bytes of all answers that wait to be stored, but for one larger answer. */
export const waitingSize = 16_777_216;
/** Answers that one transaction writes, and bytes of them: whoever reads waits for one such at most. */
export const written = 64;
export const writtenSize = 262_144;
/** Stored answers that are known to be outdated, and are not found. Beyond, the one known longest is found again. */
export const outdated = 4_096;
