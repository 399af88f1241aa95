import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import * as DEADLINES from './deadlines.ts';
import { LIMITS } from './limits.ts';

/** The first table of docs/guide/limits.md: what is limited, and the rest of its row. */
const rows = new Map(
  (await readFile(new URL('../../docs/guide/limits.md', import.meta.url), 'utf8'))
    .split('\n## ', 1)
    .flatMap((text) => text.split('\nAll that the worker keeps', 1))
    .flatMap((text) => text.split('\n').filter((line) => line.startsWith('| ')))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, limit = '', ...rest]) => [limit, `${limit} | ${rest.join(' | ')}`]),
);

/** The row that tells of a limit, and how its value is written there. */
type Told = readonly [row: string, value: string];

const UNDER_WAY = 'writes that are on their way at a time';

function count(value: number): string {
  return value.toLocaleString('en');
}

function size(bytes: number): string {
  const mebibytes = bytes / 1_048_576;
  return mebibytes < 1 ? `${bytes / 1_024} KiB` : `${mebibytes} MiB`;
}

function time(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1_000;
  const units = [
    ['days', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const;
  const unit = units.find(([, length]) => seconds % length === 0 && seconds > length / 60);
  return unit && seconds > 60 ? `${seconds / unit[1]} ${unit[0]}` : `${seconds} s`;
}

/** A limit without a row does not compile. */
const LIMITS_TOLD: Readonly<Record<keyof typeof LIMITS, Told>> = {
  urlLength: ['length of an expanded URL', `${count(LIMITS.urlLength)} characters`],
  identityName: ['length of the name that `signIn` takes', `${count(LIMITS.identityName)} characters`],
  checkedLength: ['length of a parameter that a check looks at', `${count(LIMITS.checkedLength)} characters`],
  pollInterval: ['shortest interval of a poll', time(LIMITS.pollInterval)],
  loops: ['loops of all pages of an origin', count(LIMITS.loops)],
  sessionLoops: ['loops of one connection of a page', count(LIMITS.sessionLoops)],
  sessions: ['connections of one page', count(LIMITS.sessions)],
  calls: ['calls under way of one connection', count(LIMITS.calls)],
  batch: ['calls in one message to the worker', count(LIMITS.batch)],
  earlyAnswers: ['answers that a page keeps for its first worker', `${LIMITS.earlyAnswers} of`],
  earlyBytes: ['answers that a page keeps for its first worker', size(LIMITS.earlyBytes)],
  messageSize: ['a call, a loop, or a command to the worker', size(LIMITS.messageSize)],
  answerSize: ['one answer', size(LIMITS.answerSize)],
  errorSize: ['body of an answer with status 400 or more that is parsed', size(LIMITS.errorSize)],
  answersSize: ['all answers together that are being read', size(LIMITS.answersSize)],
  results: ['settled invocations that `result(id)` knows', `${count(LIMITS.results)} of a resource`],
  resultBytes: ['settled invocations that `result(id)` knows', size(LIMITS.resultBytes)],
  storedSoon: ['time for what is stored before a call asks the server', time(LIMITS.storedSoon)],
  timeout: ['default timeout of a call', time(LIMITS.timeout)],
  longPollTimeout: ['default watchdog of a long-poll', time(LIMITS.longPollTimeout)],
  feedEntries: ['answers of a feed that pages have not taken', `${count(LIMITS.feedEntries)} or`],
  feedBytes: ['answers of a feed that pages have not taken', `${size(LIMITS.feedBytes)} a loop`],
  longPollWait: ['wait that `Prefer` asks for', `${LIMITS.longPollWait} s`],
  spread: ['spread of a long-poll, 3 s by default', time(LIMITS.spread)],
  defaultSpread: ['spread of a long-poll, 3 s by default', `${time(LIMITS.defaultSpread)} by default`],
  longPolls: ['long-polls of one origin that are out', `| ${LIMITS.longPolls} |`],
  longPollSlice: ['long-polls of one origin that are out', `was out for ${time(LIMITS.longPollSlice)}`],
  requests: ['requests of the worker that are out at a time', `${LIMITS.requests}, of which`],
  requestsOfLoops: [
    'requests of the worker that are out at a time',
    `${LIMITS.requestsOfLoops} are for loops alone`,
  ],
  bases: ['bodies that answers are compared with, and where their rows lie', size(LIMITS.bases)],
  windowRows: ['rows of a window', count(LIMITS.windowRows)],
  credentialHeaders: ['headers of a credentials provider', `${LIMITS.credentialHeaders}, of`],
  credentialSize: ['headers of a credentials provider', `${count(LIMITS.credentialSize)} characters`],
  credentialOrigins: [
    'origins of the credentials providers of one connection',
    count(LIMITS.credentialOrigins),
  ],
  origins: ['origins whose status is known', count(LIMITS.origins)],
  absence: ['answers to writes of a page that has gone', time(LIMITS.absence)],
  droppedAnswers: [
    'answers of one read that are dropped since a write came before',
    `| ${LIMITS.droppedAnswers} |`,
  ],
  jsonLevels: ['levels of JSON in an answer', count(LIMITS.jsonLevels)],
  patchSize: ['what has changed in an answer', size(LIMITS.patchSize)],
  envelopeSize: ['what lies around the rows of an answer', size(LIMITS.envelopeSize)],
  chunkSize: ['rows of a list that a page parses in one task', size(LIMITS.chunkSize)],
  arrangements: ['arrangements of lists that are kept for windows', `| ${LIMITS.arrangements} |`],
  comparedLevels: ['depth to which two answers are compared', `${LIMITS.comparedLevels} objects in objects`],
  comparedValues: [
    'values of a row without a name that is looked for near by',
    `| ${count(LIMITS.comparedValues)} |`,
  ],
  descriptions: ['answers whose description the worker has in memory', `| ${count(LIMITS.descriptions)} |`],
  storedSize: ['stored answers', `${size(LIMITS.storedSize)} a partition`],
  loopLifetime: ['what is stored of a loop that nobody uses', time(LIMITS.loopLifetime)],
  opening: ['time to open the database', `| ${time(LIMITS.opening)} |`],
  transaction: ['time for a transaction of the database', `| ${time(LIMITS.transaction)} |`],
  storedFirst: [
    'time for what is stored before a loop asks the server first',
    `| ${time(LIMITS.storedFirst)} |`,
  ],
  waitingSize: ['answers that wait to be stored', `${size(LIMITS.waitingSize)}, and one that is larger`],
  written: ['answers written in one transaction', `to ${LIMITS.written}, or`],
  writtenOfMany: ['answers written in one transaction', `${LIMITS.writtenOfMany} while more come,`],
  writtenSize: ['answers written in one transaction', size(LIMITS.writtenSize)],
  smallBodies: ['small stored answers in memory', '1 MiB'],
  refusals: ['answers with status 400 or more that are fresh', '1 MiB'],
  outboxName: ['names of a write that waits', `${count(LIMITS.outboxName)} characters each`],
  endedWrites: ['writes that have ended', `${count(LIMITS.endedWrites)} a partition`],
  endedLifetime: ['writes that have ended', time(LIMITS.endedLifetime)],
  waitingWrites: ['writes that wait in the outbox', `${count(LIMITS.waitingWrites)} a partition`],
  writesOfServer: [UNDER_WAY, `${LIMITS.writesOfServer} to one server`],
  writesOfAll: [UNDER_WAY, `${LIMITS.writesOfAll} to all`],
  writesAhead: [UNDER_WAY, `${LIMITS.writesAhead} more`],
  takingBack: [
    'time for which a new outbox waits for the copy of a lost one',
    `${time(LIMITS.takingBack)} without progress`,
  ],
  outdated: ['outdated answers that could not be removed', count(LIMITS.outdated)],
  swept: ['writes and refusals that wait for the database', count(LIMITS.swept)],
};

/** Those that an app sees; the others are for page and worker alone. */
const DEADLINES_TOLD: Readonly<Partial<Record<keyof typeof DEADLINES, Told>>> = {
  ACTIVATION_DEADLINE: [
    'time for a service worker to become active',
    `| ${time(DEADLINES.ACTIVATION_DEADLINE)} |`,
  ],
  GREETING_DEADLINE: ['time for the worker to answer a greeting', `| ${time(DEADLINES.GREETING_DEADLINE)} |`],
  REPLACEMENT_DEADLINE: [
    'time for a page to wait for the next worker',
    `| ${time(DEADLINES.REPLACEMENT_DEADLINE)} |`,
  ],
  DRAIN_DEADLINE: ['time for a `POST` under way at an update', `| ${time(DEADLINES.DRAIN_DEADLINE)} |`],
  UPDATE_DEADLINE: ['time for an update to come about', `| ${time(DEADLINES.UPDATE_DEADLINE)} |`],
  PROVIDER_SILENCE: [
    'time for a page to hear that credentials are wanted',
    `| ${time(DEADLINES.PROVIDER_SILENCE)} |`,
  ],
  RENEWAL_PATIENCE: [
    'time for new credentials while the last are good',
    `| ${time(DEADLINES.RENEWAL_PATIENCE)} |`,
  ],
  PROVIDER_DEADLINE: ['time for a credentials provider', `| ${time(DEADLINES.PROVIDER_DEADLINE)} |`],
  COMMAND_DEADLINE: ['time for `inspect()` and `cache.clear()`', `| ${time(DEADLINES.COMMAND_DEADLINE)} |`],
};

/** Rows that follow from other rows, or whose numbers are the browser's. */
const OTHERS: readonly (readonly [row: string, value: string])[] = [
  [
    'queries of one connection that nobody watches',
    `| ${count(LIMITS.results)}, with ${size(LIMITS.resultBytes)} of their answers |`,
  ],
  ["time for a window's rows to come", `| ${time(DEADLINES.COMMAND_DEADLINE)} |`],
  ['lists that windows are cut from, where an answer is not compared', size(LIMITS.bases)],
  [
    'of them, those of one connection of a page',
    `${(LIMITS.requests - LIMITS.requestsOfLoops) / 2} of one alone`,
  ],
  ['connections of the browser to one server (HTTP/1.1)', "the browser's own"],
  ['height of all rows of an `<offstage-list>`', 'Firefox'],
  ['what a page waits for and has not heard when it is thawed', '1 s more'],
  ['greetings that an active worker does not answer', '2; 1 of another script; 4 while it changes'],
  ['time between two looks for a service worker that answers', '5 s, doubled up to 5 min'],
];

const told = [...Object.values(LIMITS_TOLD), ...Object.values(DEADLINES_TOLD), ...OTHERS];

describe('docs/guide/limits.md', () => {
  test.each(told)('says of "%s" that it is "%s"', (row, value) => {
    expect(rows.get(row)).toContain(value);
  });

  test('tells of nothing else', () => {
    const known = new Set(told.map(([row]) => row));
    expect([...rows.keys()].filter((row) => !known.has(row))).toEqual([]);
  });
});
