import { cursor, wait } from './cursor-shape.ts';
import { invocation } from './invocation-shape.ts';
import { LIMITS } from './limits.ts';
import type { Revision } from './outcome.ts';
import type { FunctionCall, RowsQuery } from './part.ts';
import { isPointer } from './pointer.ts';
import type {
  Again,
  Command,
  LogOffset,
  Greeting,
  LoopDeclaration,
  Pace,
  Submission,
  EventInterest,
  HeardWhileHidden,
  WhileHidden,
} from './protocol.ts';
import {
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
} from './shape.ts';
import type { Shape } from './shape.ts';

/** What a page says to a worker. A kind or a property that is added to the protocol has to be added here to compile. */

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

/** What has to hold of a batch for each of its calls to be judged by itself. */
export const batch: Shape<readonly Pick<Submission, 'id'>[]> = list(
  object<Pick<Submission, 'id'>>({ id: ordinal }),
);

export const submission: Shape<Submission> = object<Submission>({ id: ordinal, invocation, interest });

const revision: Shape<Revision> = object<Revision>({ lineage: text, number: ordinal });

const position: Shape<LogOffset> = object<LogOffset>({ log: text, offset: count });

const again: Shape<Again> = object<Again>({
  revision: orNull(revision),
  overdueBy: numberFrom(0),
  behind: orMissing(flag),
});

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

export const command: Shape<Command> = variants<Command>({
  abort: { ids: list(ordinal) },
  declare: { declaration },
  pace: { loop: ordinal, interval },
  cut: { loop: ordinal },
  interest: { loop: ordinal, interest },
  stop: { loop: ordinal },
  keepalive: { hidden: flag, watched: flag },
  visibility: { hidden: flag },
  online: {},
  leave: {},
  close: {},
  drain: {},
  'clear-cache': {},
  inspect: {},
  part: { invocation, part },
});
