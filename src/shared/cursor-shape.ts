import type { Cursor, CursorSource, CursorTarget, Wait } from './cursor.ts';
import { invocation, token } from './invocation-shape.ts';
import { LIMITS } from './limits.ts';
import { isPointer } from './pointer.ts';
import { integer, must, object, orNull, text, variants, word } from './shape.ts';
import type { Shape } from './shape.ts';

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

export const cursor: Shape<Cursor> = object<Cursor>({
  kind: word<Cursor['kind']>({ state: true, feed: true }),
  from: source,
  plus: integer,
  to: target,
  initial: orNull(text),
  catchUp: orNull(invocation),
});

export const wait: Shape<Wait> = variants<Wait>({
  prefer: { seconds },
  query: { name, value: text },
});
