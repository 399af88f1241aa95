import { invocation } from './invocation-shape.ts';
import { LIMITS } from './limits.ts';
import type { Command, Greeting, LoopDeclaration, Pace, Submission, Tell, WhileHidden } from './protocol.ts';
import { flag, list, must, numberFrom, object, ordinal, variants, word } from './shape.ts';
import type { Shape } from './shape.ts';

/** What a page says to a worker. A kind or a property that is added to the protocol has to be added here to compile. */

/** What a page of protocol 1 does not say. */
const flagOrNothing: Shape<boolean> = must(
  (value) => value === undefined || typeof value === 'boolean',
  'be true, false or missing',
);

export const greeting: Shape<Greeting> = object<Greeting>({
  protocol: ordinal,
  oldest: ordinal,
  resync: flagOrNothing,
});

const tell: Shape<Tell> = object<Tell>({ started: flag, sent: flag, progress: flag });

const interval: Shape<number> = numberFrom(LIMITS.pollInterval);

const whileHidden: Shape<WhileHidden> = word<WhileHidden>({ continue: true, slow: true, pause: true });

const pace: Shape<Pace> = variants<Pace>({ poll: { interval, hidden: whileHidden }, 'long-poll': {} });

export const submissions: Shape<readonly Submission[]> = list(
  object<Submission>({ id: ordinal, invocation, tell }),
);

const declaration: Shape<LoopDeclaration> = object<LoopDeclaration>({
  loop: ordinal,
  pace,
  invocation,
  tell,
  firstIn: numberFrom(0),
});

export const command: Shape<Command> = variants<Command>({
  abort: { ids: list(ordinal) },
  declare: { declaration },
  pace: { loop: ordinal, interval },
  cut: { loop: ordinal },
  tell: { loop: ordinal, tell },
  stop: { loop: ordinal },
  stay: { hidden: flag, watched: flag },
  visibility: { hidden: flag },
  online: {},
  leave: {},
  drain: {},
  'clear-cache': {},
  inspect: {},
});
