import { isRecord } from './record.ts';

/**
 * What may pass between a page and a worker. Comlink's own receiver applies whatever path a message names, so a
 * bare one would run `constructor.constructor('...')` or hand out ports; here one call is a single allow-listed
 * name with plain arguments, one reply is a plain value or an error, and everything else is dropped.
 */

/** One session's message: who it belongs to, and what Comlink made of it. */
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

/** Sessions and calls are named by a UUID, or by four random numbers as Comlink does: no name is longer. */
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
    // Looked at before the list is walked through: one of a billion holes would hold up the worker.
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
