import type { ActionCall } from './action-method.ts';
import type { DeclareOptions, Description } from './action.ts';
import type { Checks } from './check.ts';
import type { DeclaredActions } from './declared-actions.ts';
import { unlessProduction } from '../development.ts';
import { anObject, assertIs } from './option-checks.ts';
import { describe, isPlainObject } from './params.ts';
import type { PollOptions } from './loop.ts';
import type { InputParams } from './params.ts';

/** Names that are no members yet and would do harm: `stream` is to come, and `then` would make a thenable of it. */
const RESERVED = ['stream', 'then'];

/** The declaration of an action. */
export type Mapping = [
  action: string,
  method: string,
  url: string,
  check?: Checks | undefined,
  options?: DeclareOptions | undefined,
];

/** The part of a resource that has to do with its actions, whatever it makes of what becomes of them. */
interface Mapped {
  map(...mapping: Mapping): void;
  invoke(action: string, ...call: ActionCall): number;
}

/** Declares an action, which becomes a method of its resource; one of the same name is replaced. */
export function mapAction(resource: Mapped, actions: DeclaredActions, ...mapping: Mapping): void {
  const [action, method, url, check, options = {}] = mapping;
  assertName(action, resource, actions.find(action) !== undefined);
  actions.map(action, method, url, check, options);
  Object.defineProperty(resource, action, {
    configurable: true,
    enumerable: true,
    value: (...call: ActionCall): number => resource.invoke(action, ...call),
  });
}

/** Declares all actions of a description, as if each had been mapped. @throws TypeError where it is no plain object. */
export function mapAll(resource: Mapped, description: Description): void {
  if (!isPlainObject(description)) {
    throw new TypeError(`A resource is made with an object of its actions, got ${describe(description)}`);
  }
  for (const [action, described] of Object.entries(description)) {
    unlessProduction(() => assertIs(`The description of '${action}'`, described, anObject()));
    const { method, url, check, ...options } = described;
    resource.map(action, method, url, check, options);
  }
}

/**
 * An action becomes a method of its resource, so its name must be free there.
 * @throws TypeError where it is no name; Error where it is taken by anything but an action.
 */
export function assertName(name: unknown, resource: object, isAction: boolean): asserts name is string {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('The name of an action must be a non-empty string');
  if (RESERVED.includes(name) || (name in resource && !isAction)) {
    throw new Error(`Method with name of action (${name}) already exists`);
  }
}

type Given = InputParams | null | undefined;

/** The arguments of `poll`: with options, or in the classic order. */
export type PollCall =
  | [action: string, params?: Given, options?: PollOptions | undefined]
  | [action: string, interval: number, params?: Given, immediately?: boolean | undefined];

/** Both orders say the same, but the classic one waits an interval first unless it says otherwise. */
export function pollCallOf(call: PollCall): readonly [string, Given, PollOptions] {
  if (!isClassic(call)) return [call[0], call[1], call[2] ?? {}];
  const [action, interval, params, immediately = false] = call;
  return [action, params, { interval, immediately }];
}

function isClassic(call: PollCall): call is Extract<PollCall, [string, number, ...unknown[]]> {
  return typeof call[1] === 'number';
}
