import { isPointer, pointed } from '../../shared/pointer.ts';
import { share } from '../patch/share.ts';

/** A JSON Pointer (RFC 6901) to a part of an answer, or a pure function of the answer. */
export type Select<Response = never> = string | ((response: Response) => unknown);

/**
 * The selected part of an answer, null where that is nothing. What a function makes shares its equal parts with what it
 * made before. Its type is the caller's to know: the compiler sees only that `select` belongs to the answer.
 */
export function selected<Data>(select: Select | undefined, response: unknown, before: Data | null): Data;
export function selected(select: Select | undefined, response: unknown, before: unknown): unknown {
  if (select === undefined) return response;
  if (typeof select === 'string') return pointed(response, select) ?? null;
  const made: unknown = Reflect.apply(select, undefined, [response]);
  return share(before, made ?? null, new Map());
}

/** @throws TypeError where it is neither a pointer nor a function. */
export function assertSelect(select: unknown): void {
  if (select === undefined || typeof select === 'function') return;
  if (typeof select === 'string' && isPointer(select)) return;
  const got = typeof select === 'string' ? `'${select}'` : typeof select;
  throw new TypeError(`'select' must be a JSON pointer like '/items' or a function, got ${got}`);
}
