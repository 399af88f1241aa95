import type { ActionCall } from './action-method.ts';
import type { DeclareOptions, Description } from './action.ts';
import type { Checks } from './check.ts';
import type { ResourceCore } from './core.ts';
import { unlessProduction } from '../development.ts';
import { assertName } from './names.ts';
import { anObject, assertIs } from './option-checks.ts';
import { describe, isPlainObject } from './params.ts';

/** What declares an action. */
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
export function mapAction(resource: Mapped, core: ResourceCore, ...mapping: Mapping): void {
  const [action, method, url, check, options = {}] = mapping;
  assertName(action, resource, core.has(action));
  core.map(action, method, url, check, options);
  const value = (...call: ActionCall): number => resource.invoke(action, ...call);
  Object.defineProperty(resource, action, { value, configurable: true, enumerable: true });
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
