import { earlyAnswer } from './early.ts';
import { LIMITS } from './limits.ts';
import type { Revision } from './outcome.ts';
import type { FunctionCall, RowsQuery } from './part.ts';
import { isPointer } from './part.ts';
import type { LogOffset } from './delivery.ts';
import type { Creation, Decision, Ticket } from './outbox.ts';
import type { Pace, HeardWhileHidden, WhileHidden } from './pace.ts';
import type { Claim } from './identity.ts';
import type {
  Again,
  Command,
  EventInterest,
  Greeting,
  LoopDeclaration,
  PendingWrites,
  Submission,
} from './protocol.ts';
import {
  atMost,
  count,
  flag,
  list,
  must,
  numberBetween,
  numberFrom,
  object,
  ordinal,
  orMissing,
  orNull,
  text,
  variants,
  word,
  integer,
  bytes,
  either,
  pair,
  positive,
} from './shape.ts';
import type { Shape } from './shape.ts';
import type { Cursor, CursorSource, CursorTarget, Wait } from './cursor.ts';
import type { CredentialsReply } from './credentials.ts';
import { isHeaderValue, isToken } from './header.ts';
import type { Header } from './header.ts';
import { REFUSED_METHODS } from './invocation.ts';
import type {
  CacheLifetimes,
  CachePolicy,
  Invocation,
  Params,
  ParamValue,
  Policy,
  RequestBody,
} from './invocation.ts';

const token: Shape<string> = must((value) => typeof value === 'string' && isToken(value), 'be an HTTP token');

const method: Shape<string> = must(
  isMethod,
  `be an HTTP token in upper case, not ${REFUSED_METHODS.join(', ')}`,
);

/** As `URL.origin` writes it. A pattern, since the code in `shared` has no `URL`. */
const ORIGIN = /^https?:\/\/(?:\[[0-9a-f:.]+\]|[^\s#%/:<>?@[\\\]^|A-Z]+)(?::\d{1,5})?$/;

const origin: Shape<string> = must(
  (value) => typeof value === 'string' && ORIGIN.test(value),
  'be an http(s) origin',
);

const headerText: Shape<string> = must(
  (value) => typeof value === 'string' && isHeaderValue(value),
  'be the value of a header',
);

const header: Shape<Header> = pair(token, text);
/** As the page has validated it. */
const givenHeader: Shape<Header> = pair(
  token,
  must((value) => typeof value === 'string' && isHeaderValue(value), 'be the value of a header'),
);

const paramValue: Shape<ParamValue> = either(
  either(text, list(text)),
  object<{ readonly pairs: readonly (readonly [string, string])[] }>({ pairs: list(pair(text, text)) }),
);

const params: Shape<Params> = list(pair(text, paramValue));

export const requestBody: Shape<RequestBody> = variants<RequestBody>({
  none: {},
  query: { text },
  text: { text },
  bytes: { bytes },
});

const policy: Shape<Policy> = object<Policy>({
  timeout: positive,
  retry: count,
  credentials: word<Policy['credentials']>({ omit: true, 'same-origin': true, include: true }),
  mode: word<Policy['mode']>({ cors: true, 'same-origin': true }),
  cache: either(
    word<Exclude<CachePolicy, object>>({
      default: true,
      strict: true,
      'network-first': true,
      'cache-first': true,
      'cache-only': true,
      'network-only': true,
    }),
    object<CacheLifetimes>({
      maxAge: numberFrom(0),
      staleIfError: orMissing(numberFrom(0)),
      staleWhileRevalidate: orMissing(numberFrom(0)),
    }),
  ),
  revalidate: flag,
  storedFirst: orMissing(flag),
  answerSize: positive,
  origins: list(origin),
  secretHeaders: list(token),
  invalidates: orMissing(list(text)),
  transform: orMissing(list(text)),
});

export const invocation: Shape<Invocation> = object<Invocation>({
  action: text,
  method,
  template: text,
  baseUrl: text,
  documentUrl: text,
  params,
  headers: list(header),
  body: requestBody,
  policy,
});

const pointer: Shape<string> = must(
  (value) => typeof value === 'string' && value !== '' && isPointer(value),
  "be a JSON pointer that begins with '/'",
);

const name: Shape<string> = must((value) => typeof value === 'string' && value !== '', 'be a name');

const seconds: Shape<number> = must(
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMITS.longPollWait,
  `be a whole number from 1 to ${LIMITS.longPollWait}`,
);

const source: Shape<CursorSource> = variants<CursorSource>({
  header: { name: token },
  body: { pointer },
  etag: {},
});

const target: Shape<CursorTarget> = variants<CursorTarget>({
  query: { name },
  header: { name: token },
  'if-none-match': {},
});

const cursor: Shape<Cursor> = object<Cursor>({
  kind: word<Cursor['kind']>({ state: true, feed: true }),
  from: source,
  plus: integer,
  to: target,
  initial: orNull(text),
  catchUp: orNull(invocation),
});

const wait: Shape<Wait> = variants<Wait>({
  prefer: { seconds },
  query: { name, value: text },
});

/** The shapes of a page's messages. A new kind or property of the protocol must be added here to compile. */

const interest: Shape<EventInterest> = object<EventInterest>({
  started: flag,
  sent: flag,
  progress: flag,
  body: orMissing(flag),
  unchanged: orMissing(flag),
});

const interval: Shape<number> = numberFrom(LIMITS.pollInterval);

const whileHidden: Shape<WhileHidden> = word<WhileHidden>({ continue: true, slow: true, pause: true });

const heardWhileHidden: Shape<HeardWhileHidden> = word<HeardWhileHidden>({ continue: true, slow: true });

const pace: Shape<Pace> = variants<Pace>({
  poll: { interval, hidden: whileHidden },
  'long-poll': { hidden: orMissing(heardWhileHidden) },
});

/** The least that must hold for a batch, so that each of its calls can be validated by itself. */
export const batch: Shape<readonly Pick<Submission, 'id'>[]> = list(
  object<Pick<Submission, 'id'>>({ id: ordinal }),
);

const brief: Shape<string> = must(
  (value) => typeof value === 'string' && value.length <= LIMITS.outboxName,
  `be a text of at most ${LIMITS.outboxName} characters`,
);

/** It goes into a header. */
const key: Shape<string> = must(
  (value) => typeof value === 'string' && /^[\w-]{1,128}$/.test(value),
  'be 1 to 128 letters, digits and hyphens',
);

const ticket: Shape<Ticket> = object<Ticket>({
  entry: key,
  key,
  resource: brief,
  action: brief,
  lane: brief,
  creates: orMissing(object<Creation>({ temporaryId: brief, at: brief })),
  isShown: orMissing(flag),
});

export const submission: Shape<Submission> = object<Submission>({
  id: ordinal,
  invocation,
  interest,
  epoch: orMissing(count),
  ticket: orMissing(ticket),
});

const revision: Shape<Revision> = object<Revision>({ lineage: text, number: ordinal });
const position: Shape<LogOffset> = object<LogOffset>({ log: text, offset: count });

const again: Shape<Again> = object<Again>({
  revision: orNull(revision),
  overdueBy: numberFrom(0),
  behind: orMissing(flag),
  last: orMissing(word<NonNullable<Again['last']>>({ answered: true, 'cut-off': true })),
});

/** Those for which a page provides credentials. */
const origins: Shape<readonly string[]> = atMost(LIMITS.credentialOrigins, origin);

const declaration: Shape<LoopDeclaration> = object<LoopDeclaration>({
  loop: ordinal,
  pace,
  invocation,
  interest,
  firstIn: numberFrom(0),
  cursor: orMissing(orNull(cursor)),
  wait: orMissing(orNull(wait)),
  spread: orMissing(orNull(numberBetween(0, LIMITS.spread))),
  again: orMissing(orNull(again)),
  position: orMissing(orNull(position)),
  restart: orMissing(flag),
  replaces: orMissing(orNull(ordinal)),
  askedAgo: orMissing(orNull(numberFrom(0))),
});

const identityName: Shape<string> = must(
  (value) => typeof value === 'string' && value.length >= 1 && value.length <= LIMITS.identityName,
  `be a text of 1 to ${LIMITS.identityName} characters`,
);

export const greeting: Shape<Greeting> = object<Greeting>({
  protocol: ordinal,
  oldest: ordinal,
  resync: flag,
  number: ordinal,
  calls: list(ordinal),
  loops: list(declaration),
  later: list(ordinal),
  hidden: flag,
  online: flag,
  lineage: orMissing(count),
  identity: orMissing(object<Claim>({ name: orNull(identityName), epoch: count })),
  provides: orMissing(origins),
});

const reply: Shape<CredentialsReply> = variants<CredentialsReply>({
  asking: {},
  given: { headers: atMost(LIMITS.credentialHeaders, givenHeader), expiresAt: orNull(numberFrom(0)) },
  failed: { message: text },
});

const functionCall: Shape<FunctionCall> = object<FunctionCall>({ name: text, given: text });

const part: Shape<RowsQuery> = object<RowsQuery>({
  pointer: must((value) => typeof value === 'string' && isPointer(value), 'be a JSON pointer'),
  start: count,
  count: must(
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LIMITS.windowRows,
    `be a whole number from 0 to ${LIMITS.windowRows}`,
  ),
  filter: orMissing(functionCall),
  sorter: orMissing(functionCall),
});

const decision: Shape<Decision> = variants<Decision>({
  retry: {},
  discard: { version: orMissing(count), isGivenUp: orMissing(flag) },
  edit: {
    key,
    params: orNull(params),
    body: orNull(requestBody),
    contentType: orNull(headerText),
    version: orMissing(count),
    isOfConflict: orMissing(flag),
  },
});

export const command: Shape<Command> = variants<Command>({
  abort: { ids: list(ordinal) },
  declare: { declaration, epoch: orMissing(count) },
  pace: { loop: ordinal, interval },
  cut: { loop: ordinal },
  interest: { loop: ordinal, interest },
  stop: { loop: ordinal },
  keepalive: { hidden: flag, watched: flag },
  visibility: { hidden: flag },
  provides: { origins },
  credentials: { question: text, reply },
  online: {},
  leave: {},
  close: {},
  drain: {},
  'clear-cache': {},
  'list-stored': { after: orNull(text), epoch: orMissing(count) },
  'read-stored': { url: text, epoch: orMissing(count) },
  'remove-stored': { url: text, epoch: orMissing(count) },
  inspect: {},
  part: { invocation, part, epoch: orMissing(count) },
  adopt: { answers: atMost(LIMITS.earlyAnswers, earlyAnswer(invocation, header)), epoch: orMissing(count) },
  'list-outbox': {
    after: orNull(count),
    entries: orNull(atMost(LIMITS.calls, key)),
    isBrief: orMissing(flag),
    epoch: orMissing(count),
  },
  decide: { entry: key, decision, epoch: orMissing(count) },
  'sign-in': { name: identityName },
  'sign-out': {
    pendingWrites: word<PendingWrites>({ keep: true, discard: true }),
    epoch: orMissing(count),
  },
});

function isMethod(given: unknown): boolean {
  if (typeof given !== 'string' || !isToken(given)) return false;
  return given === given.toUpperCase() && !REFUSED_METHODS.includes(given);
}
