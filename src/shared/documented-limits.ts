// The limits of docs/guide/limits.md, which limits.test.ts compares with these. Each has its error where it is
// enforced. Limits on how long page and worker wait for each other are in deadlines.ts.

/** Characters of an expanded URL. */
export const urlLength = 16_384;
/** Characters of the name of an identity. */
export const identityName = 256;
/** Characters of a parameter that a check tests. */
export const checkedLength = 4_096;
/** Milliseconds: the shortest interval of a poll. */
export const pollInterval = 100;
/** Loops of all pages of an origin together. */
export const loops = 200;
/** Loops of one session of a page. */
export const sessionLoops = 100;
/** Connections of one page. */
export const sessions = 16;
/** Invocations of one session under way. */
export const calls = 5_000;
/** Invocations that travel in one message. */
export const batch = 5_000;
/** Answers that a page without a worker keeps for its first engine. */
export const earlyAnswers = 64;
/** Bytes of those answers. */
export const earlyBytes = 8_388_608;
/** Bytes of bodies, plus characters of parameters and headers, in one message. */
export const messageSize = 67_108_864;
/** Bytes of one answer, after content decoding (default). */
export const answerSize = 67_108_864;
/** Bytes of an answer with a status of 400 or more that are parsed. */
export const errorSize = 1_048_576;
/** Bytes of all answers that are being read, together. */
export const answersSize = 268_435_456;
/** Settled invocations that `result(id)` still knows. */
export const results = 1_000;
/** Bytes of their answers that are held for this purpose alone. */
export const resultBytes = 8_388_608;
/** Milliseconds that a call waits to learn what is stored before its server is asked. */
export const storedSoon = 100;
/** Milliseconds for a call (default). */
export const timeout = 30_000;
/** Milliseconds without news after which a long-poll asks again: the watchdog. */
export const longPollTimeout = 60_000;
/** Answers that a feed's log keeps for pages that have not taken them yet. */
export const feedEntries = 1_000;
/** Bytes of those answers. */
export const feedBytes = 8_388_608;
/** Seconds that `Prefer: wait` may ask a server to hold a request: proxies cut requests that take half a minute. */
export const longPollWait = 25;
/** Milliseconds over which long-polls ask again after all were cut at once: the maximum, and the default. */
export const spread = 3_600_000;
export const defaultSpread = 3_000;
/** Long-polls of one origin out at a time: HTTP/1.1 has six connections per host, and pages need some. */
export const longPolls = 4;
/** Milliseconds that a long-poll is out at least, before it is cut for a waiting one. */
export const longPollSlice = 5_000;
/**
 * Requests of the worker out at a time. A browser has a few hundred connections, and refuses requests when some
 * thousands wait for one (Chromium: ERR_INSUFFICIENT_RESOURCES), as if the network had failed.
 */
export const requests = 256;
/** Those of them that are reserved for loops. */
export const requestsOfLoops = 16;
/** Bytes of the stored answers with which others are compared, and of the positions of their rows. */
export const bases = 67_108_864;
/** Rows of a window. */
export const windowRows = 10_000;
/** Headers that a credentials provider gives, and characters of their names and values. */
export const credentialHeaders = 16;
export const credentialSize = 16_384;
/** Origins for which one connection of a page has credentials providers. */
export const credentialOrigins = 100;
/** Origins whose status is known. */
export const origins = 100;
/** Milliseconds in which a page that is gone may come back: browsers keep pages in the back/forward cache that long. */
export const absence = 600_000;
/** Answers of one read that are dropped because of writes. While others write all the time, the next one counts. */
export const droppedAnswers = 3;
/** Levels of JSON in an answer: a browser cannot copy a value that is nested some thousands deep. */
export const jsonLevels = 1_000;
/** Bytes of a patch. */
export const patchSize = 8_388_608;
/** Bytes around the rows of an answer that are still parsed at once, in one or two milliseconds. */
export const envelopeSize = 262_144;
/** Bytes of rows in one text: a page receives and parses it in some milliseconds, however large the list. */
export const chunkSize = 262_144;
/** Arrangements of lists that are kept: each takes four bytes a row. */
export const arrangements = 16;
/** Levels to which a page compares two answers. It takes deeper parts as they are, since the stack is limited. */
export const comparedLevels = 200;
/** Values of a nameless row that a page compares with rows near by. */
export const comparedValues = 1_000;
/** Stored answers whose descriptions the worker has in memory. */
export const descriptions = 1_000;
/** Bytes of small stored answers in memory; each counts for 1 KiB more. */
export const smallBodies = 1_048_576;
/** Bytes of refusals that are fresh, in memory. */
export const refusals = 1_048_576;
/** Bytes of the stored answers of a partition. */
export const storedSize = 67_108_864;
/** Milliseconds for which a loop is remembered after its last use. */
export const loopLifetime = 604_800_000;
/** Milliseconds for a database to open, in two attempts. Then the worker keeps answers and loops in memory. */
export const opening = 3_000;
/** Milliseconds for a transaction, from its beginning until it has completed. */
export const transaction = 2_000;
/** Milliseconds that a loop's first request waits for stored data. */
export const storedFirst = 2_000;
/** Bytes of all answers that wait to be stored; one larger answer may wait alone. */
export const waitingSize = 16_777_216;
/** Answers, and bytes of them, that one transaction writes: a reader waits for one such transaction at most. */
export const written = 64;
export const writtenSize = 262_144;
/** Answers that one transaction writes while many come. */
export const writtenOfMany = 256;
/** Writes that wait in the outbox of a partition. */
export const waitingWrites = 10_000;
/** Waiting writes that are under way at a time, to one server and to all: of what each sends, a copy is in memory. */
export const writesOfServer = 4;
export const writesOfAll = 16;
/** How many more of all those lanes may have under way that go ahead of their turn: one of each server. */
export const writesAhead = 4;
/** Writes of which it is known that they have ended, and the least number of temporary ids of which it is known what they stand for. */
export const endedWrites = 10_000;
/** Milliseconds for which it is known of any temporary id what it stands for. */
export const endedLifetime = 2_592_000_000;
/** Milliseconds for which a new outbox sends nothing while no more of what a lost one held comes from the copy. */
export const takingBack = 10_000;
/** Characters of the names of a waiting write: of its resource, its action and its lane. */
export const outboxName = 4_096;
/** Stored answers that are known to be outdated and not found. Beyond that, the one known longest is found again. */
export const outdated = 4_096;
/** URLs or bases of which what is stored is to be outdated or removed once the storage answers; answers since, of each. */
export const swept = 1_000;
