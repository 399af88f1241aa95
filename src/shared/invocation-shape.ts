import { isToken } from './header.ts';
import type { Header } from './header.ts';
import { REFUSED_METHODS } from './invocation.ts';
import type { CachePolicy, Invocation, Params, ParamValue, Policy, RequestBody } from './invocation.ts';
import {
  bytes,
  count,
  either,
  flag,
  list,
  must,
  object,
  orMissing,
  pair,
  positive,
  text,
  variants,
  word,
} from './shape.ts';
import type { Shape } from './shape.ts';

export const token: Shape<string> = must(
  (value) => typeof value === 'string' && isToken(value),
  'be an HTTP token',
);

const method: Shape<string> = must(
  isMethod,
  `be an HTTP token in upper case, not ${REFUSED_METHODS.join(', ')}`,
);

/** As `URL.origin` writes it: shared knows no URL. */
const ORIGIN = /^https?:\/\/(?:\[[0-9a-f:.]+\]|[^\s#%/:<>?@[\\\]^|A-Z]+)(?::\d{1,5})?$/;

const origin: Shape<string> = must(
  (value) => typeof value === 'string' && ORIGIN.test(value),
  'be an http(s) origin',
);

const header: Shape<Header> = pair(token, text);

const value: Shape<ParamValue> = either(
  either(text, list(text)),
  object<{ readonly pairs: readonly (readonly [string, string])[] }>({ pairs: list(pair(text, text)) }),
);

const params: Shape<Params> = list(pair(text, value));

const body: Shape<RequestBody> = variants<RequestBody>({
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
  cache: word<CachePolicy>({ default: true, 'network-only': true }),
  revalidate: flag,
  answerSize: positive,
  origins: list(origin),
  secretHeaders: list(token),
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
  body,
  policy,
});

function isMethod(given: unknown): boolean {
  if (typeof given !== 'string' || !isToken(given)) return false;
  return given === given.toUpperCase() && !REFUSED_METHODS.includes(given);
}
