import type { CredentialsReply } from '../../shared/credentials.ts';
import type { Cursor } from '../../shared/cursor.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Call } from '../../shared/guard.ts';
import type { Invocation, ParamValue } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { batch, command, greeting, submission } from '../../shared/message-shapes.ts';
import { isSecret } from '../../shared/header.ts';
import { isSafe, sizeOfRequestBody } from '../../shared/invocation.ts';
import type { Decision } from '../../shared/outbox.ts';
import type { RowsQuery } from '../../shared/part.ts';
import { WORKER_CALLS } from '../../shared/protocol.ts';
import type { Command, Greeting, LoopDeclaration, Submission, WorkerApi } from '../../shared/protocol.ts';
import type { Shape } from '../../shared/shape.ts';

type Judgement = (argument: unknown) => Failure | null;

const JUDGEMENTS: Readonly<Record<keyof WorkerApi, Judgement>> = {
  greet: (argument) => judge('greeting', greeting, argument, overweightGreeting),
  // Each call is validated by itself, when it is taken.
  submit: (argument) => judge('submissions', batch, argument, oversizedBatch),
  control: (argument) => judge('command', command, argument, overweightCommand),
};

/** Why a page's call is refused: it is not what the protocol says, or is too much. Null where it may act. */
export function validateMessage(call: Call): Failure | null {
  const name = WORKER_CALLS.find((each) => each === call.path[0]);
  return name ? JUDGEMENTS[name](call.argumentList[0]?.value) : malformed('call', ' is not in the protocol');
}

/** Why one call of a batch is refused; null where it is not. */
export function validateSubmission(call: Submission): Failure | null {
  return judge('submission', submission, call, (given) => overweight([given.invocation]) ?? unfit(given));
}

function judge<T>(
  name: string,
  shape: Shape<T>,
  argument: unknown,
  tooMuch: (argument: T) => Failure | null,
): Failure | null {
  return has(shape, argument) ? tooMuch(argument) : malformed(name, shape(argument));
}

function has<T>(shape: Shape<T>, value: unknown): value is T {
  return shape(value) === null;
}

function malformed(name: string, flaw: string | null): Failure | null {
  if (flaw === null) return null;
  return {
    code: 'protocol',
    message: `A message to the worker was refused and had no effect: ${name}${flaw}`,
  };
}

function oversizedBatch({ length }: readonly unknown[]): Failure | null {
  if (length <= LIMITS.batch) return null;
  return limit('batch', LIMITS.batch, `${length} calls are in one message, which takes`);
}

function overweightGreeting({ loops }: Greeting): Failure | null {
  return overweight(loops.flatMap(invocationsOf), ...loops.flatMap(placeTexts));
}

function overweightCommand(given: Command): Failure | null {
  if (given.kind === 'part') return overweight([given.invocation], ...partTexts(given.part));
  if (given.kind === 'decide') return overweightDecision(given.decision);
  if (given.kind === 'credentials') return oversizedCredentials(given.reply);
  if (given.kind !== 'declare') return null;
  return overweight(invocationsOf(given.declaration), ...placeTexts(given.declaration));
}

function oversizedCredentials(reply: CredentialsReply): Failure | null {
  if (reply.kind === 'asking') return null;
  const size = lengthOf(reply.kind === 'given' ? reply.headers.flat() : [reply.message]);
  if (size <= LIMITS.credentialSize) return null;
  return limit(
    'credentialSize',
    LIMITS.credentialSize,
    `Credentials of ${size} characters were refused: they have`,
  );
}

/** The page says so at the call: a write that waits carries no secrets, and changes something. */
function unfit({ ticket, invocation: { method, headers, policy } }: Submission): Failure | null {
  if (!ticket) return null;
  const isSecretive = headers.some(([name]) => isSecret(name, policy.secretHeaders));
  if (!isSecretive && !isSafe(method)) return null;
  const why = isSecretive ? 'its headers are secret' : `a ${method} changes nothing`;
  return { code: 'protocol', message: `A call was not queued: ${why}` };
}

function overweightDecision(decision: Decision): Failure | null {
  if (decision.kind !== 'edit') return null;
  const { params, body } = decision;
  const texts = (params ?? []).flatMap(([name, value]) => [name, ...textsOf(value)]);
  const size = (body ? sizeOfRequestBody(body) : 0) + lengthOf(texts);
  if (size <= LIMITS.messageSize) return null;
  return limit('messageSize', LIMITS.messageSize, `A message of ${size} bytes was refused: it takes`);
}

function invocationsOf({ invocation, cursor }: LoopDeclaration): readonly Invocation[] {
  const catchUp = cursor?.catchUp ?? null;
  return catchUp ? [invocation, catchUp] : [invocation];
}

function overweight(invocations: readonly Invocation[], ...texts: readonly string[]): Failure | null {
  const size = invocations.reduce((sum, each) => sum + weigh(each), lengthOf(texts));
  if (size <= LIMITS.messageSize) return null;
  return limit('messageSize', LIMITS.messageSize, `A message of ${size} bytes was refused: it takes`);
}

/** Bytes of the body plus characters of all else that has no limit of its own. */
function weigh({ body, params, headers, policy }: Invocation): number {
  const texts = [
    ...headers.flat(),
    ...(policy.transform ?? []),
    ...params.flatMap(([name, value]) => [name, ...textsOf(value)]),
  ];
  return sizeOfRequestBody(body) + lengthOf(texts);
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function partTexts({ pointer, filter, sorter }: RowsQuery): readonly string[] {
  const calls = [filter, sorter].flatMap((call) => (call ? [call.name, call.given] : []));
  return [pointer, ...calls];
}

/** The texts of a loop's cursor, wait and position. */
function placeTexts({ cursor, wait, again, position }: LoopDeclaration): readonly string[] {
  const cursorTexts = cursor ? [sourceText(cursor.from), targetText(cursor.to), cursor.initial ?? ''] : [];
  const waitTexts = wait?.kind === 'query' ? [wait.name, wait.value] : [];
  return [...cursorTexts, ...waitTexts, again?.revision?.lineage ?? '', position?.log ?? ''];
}

function sourceText(from: Cursor['from']): string {
  switch (from.kind) {
    case 'header':
      return from.name;
    case 'body':
      return from.pointer;
    default:
      return '';
  }
}

function targetText(to: Cursor['to']): string {
  return to.kind === 'if-none-match' ? '' : to.name;
}

function textsOf(value: ParamValue): readonly string[] {
  if (typeof value === 'string') return [value];
  return 'pairs' in value ? value.pairs.flat() : value;
}

function limit(name: string, value: number, message: string): Failure {
  return { code: 'limit', message: `${message} at most ${value}`, limit: name, value };
}
