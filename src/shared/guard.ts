import type { Failure } from './failure.ts';
import { isRecord } from './shape.ts';

/**
 * Decides which messages may pass between a page and a worker, and how a call is refused. Comlink's own receiver
 * applies any path that a message names, so without a guard a message could run `constructor.constructor('...')` or
 * hand out ports. Here a call is one allow-listed name with plain arguments, a reply is a plain value or an error, and
 * everything else is dropped.
 */

/** A message of one session, as Comlink made it. */
export interface Envelope {
  /** The session's token, made by its page. */
  readonly offstage: string;
  readonly message: unknown;
}

/** A call that may pass: one name, at most one argument. */
export interface Call {
  readonly id: string;
  readonly path: readonly [name: string];
  readonly argumentList: readonly { readonly value?: unknown }[];
}

/** No name is longer: sessions and calls are named by a UUID, or by four random numbers as Comlink does. */
const LONGEST_NAME = 128;

export function isEnvelope(data: unknown): data is Envelope {
  return isRecord(data) && isName(data['offstage']) && Object.hasOwn(data, 'message');
}

export function isCall(message: unknown, allowed: readonly string[]): message is Call {
  if (!isRecord(message)) return false;
  const { id, type, path, argumentList } = message;
  return (
    isName(id) &&
    type === 'APPLY' &&
    isNameOf(path, allowed) &&
    Array.isArray(argumentList) &&
    // Checked before the list is walked: a list of a billion holes would block the worker.
    argumentList.length <= 1 &&
    argumentList.every(isPlainValue)
  );
}

export function isReply(message: unknown): boolean {
  if (!isRecord(message) || !isName(message['id'])) return false;
  return isPlainValue(message) || (message['type'] === 'HANDLER' && message['name'] === 'throw');
}

function isName(text: unknown): boolean {
  return typeof text === 'string' && text.length <= LONGEST_NAME;
}

function isNameOf(path: unknown, allowed: readonly string[]): boolean {
  if (!Array.isArray(path) || path.length !== 1) return false;
  const name: unknown = path[0];
  return typeof name === 'string' && allowed.includes(name);
}

function isPlainValue(value: unknown): boolean {
  return isRecord(value) && value['type'] === 'RAW';
}

/** The answer to a refused call, in Comlink's form of an error, which carries the failure as an extra property. */
export function refusal(id: string, failure: Failure): object {
  const value = { name: 'Refusal', message: failure.message, stack: '', failure };
  return { id, type: 'HANDLER', name: 'throw', value: { isError: true, value } };
}

/** Why a call was refused, or cannot be sent at all; null where it failed for another reason. */
export function refusalIn(error: unknown): Failure | null {
  if (isUncloneable(error)) return { code: 'protocol', message: error.message };
  return isRefusal(error) ? error.failure : null;
}

/** True for the error of a message that contains something that cannot be copied, such as a function. */
export function isUncloneable(error: unknown): error is Error {
  return error instanceof Error && error.name === 'DataCloneError';
}

function isRefusal(error: unknown): error is { readonly failure: Failure } {
  return error instanceof Error && error.name === 'Refusal' && 'failure' in error;
}
