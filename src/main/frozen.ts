import { inDevelopment } from './development.ts';
import type { RestError } from './error.ts';
import type { Notice } from './resource/notice.ts';

/**
 * The value itself, in development builds deeply frozen as far as it is plain data: arrays and plain objects. Blobs,
 * dates and what else a schema may have made are left alone, and so is what lies in something that is frozen already.
 */
export function frozen<T>(value: T): T {
  inDevelopment(() => freeze(value));
  return value;
}

/** Without recursion: an answer may lie deeper than the stack reaches. */
export function freeze(root: unknown): void {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (!isPlain(value) || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const each of Object.values(value)) left.push(each);
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

/** The notice, whose response and failure are shared by all that hear of it: nobody is to change them. */
export function immutable(notice: Notice): Notice {
  inDevelopment(() => {
    freeze(notice.response);
    freeze(bodyOf(notice.error));
  });
  return notice;
}

function bodyOf(error: RestError | null): unknown {
  return error?.failure.code === 'http' ? error.failure.body : null;
}
