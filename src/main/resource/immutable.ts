import { inDevelopment } from '../development.ts';
import type { RestError } from '../error.ts';
import { freeze } from '../frozen.ts';
import type { Notice } from './notice.ts';

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
