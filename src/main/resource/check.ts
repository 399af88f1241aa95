import type { ParameterFailure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isRecord } from '../../shared/shape.ts';
import { RestError } from '../error.ts';
import { encodeValue, isAbsent } from './params.ts';
import type { InputParams, InputValue } from './params.ts';

/** A class, since a symbol's type would be widened as soon as the description is assigned to a variable. */
class RequiredCheck {
  readonly #name = 'REQUIRED';

  toString(): string {
    return this.#name;
  }
}

export type { RequiredCheck };

/** The check that only requires its parameter: `Resource.REQUIRED`. */
export const REQUIRED: RequiredCheck = new RequiredCheck();

/**
 * The condition for a parameter. A parameter with any check is required, and a default in the template does not satisfy
 * it. A RegExp or a predicate tests the text that goes into the URL: each item of a list, each key and each value of a
 * map.
 */
export type Check = RequiredCheck | RegExp | ((value: string, params: InputParams) => boolean);

export type Checks = Readonly<Record<string, Check>>;

/** @throws TypeError where a check is not of type `Check`. */
export function assertChecks(action: string, checks: unknown): asserts checks is Checks {
  if (!isRecord(checks) || Array.isArray(checks)) {
    throw new TypeError(`Checks of '${action}' must be an object of parameter names and checks`);
  }
  for (const [name, check] of Object.entries(checks)) {
    if (check instanceof RequiredCheck || check instanceof RegExp || typeof check === 'function') continue;
    throw new TypeError(
      `Check of '${name}' in '${action}' must be Resource.REQUIRED, a RegExp or a function`,
    );
  }
}

/** @throws RestError `Missing parameter '<name>'` or `Parameter '<name>' is invalid`. */
export function runChecks(action: string, checks: Checks, params: InputParams): void {
  for (const [name, check] of Object.entries(checks)) {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const refused = { action, parameter: name, check: String(check) };
    if (isAbsent(value)) throw missing(refused);
    if (!(check instanceof RequiredCheck)) runCheck(refused, check, value, params);
  }
}

type Refused = Pick<ParameterFailure, 'action' | 'parameter' | 'check'>;

function runCheck(
  refused: Refused,
  check: Exclude<Check, RequiredCheck>,
  value: InputValue,
  params: InputParams,
): void {
  let passed: boolean;
  try {
    passed = textsOf(refused.parameter, value).every((text) => passes(check, text, params));
  } catch (cause) {
    throw invalid(refused, cause);
  }
  if (!passed) throw invalid(refused);
}

function passes(check: Exclude<Check, typeof REQUIRED>, text: string, params: InputParams): boolean {
  // The application's regular expression may take exponential time, so it never gets a longer text.
  if (text.length > LIMITS.checkedLength) return false;
  return check instanceof RegExp ? test(check, text) : check(text, params);
}

/** A RegExp with the `g` or `y` flag remembers where it stopped, so every test resets it. */
function test(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

function textsOf(name: string, value: InputValue): readonly string[] {
  const sent = encodeValue(name, value);
  if (typeof sent === 'string') return [sent];
  return 'pairs' in sent ? sent.pairs.flat() : sent;
}

function missing(refused: Refused): RestError {
  return new RestError({
    code: 'missing-parameter',
    message: `Missing parameter '${refused.parameter}'`,
    ...refused,
  });
}

function invalid(refused: Refused, cause?: unknown): RestError {
  const message = `Parameter '${refused.parameter}' is invalid`;
  return new RestError({ code: 'invalid-parameter', message, ...refused }, cause);
}
