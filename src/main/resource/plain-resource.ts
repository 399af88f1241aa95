import type { Actions, UntypedActions } from './action-method.ts';
import type { Description } from './action.ts';
import type { RequiredCheck } from './check.ts';
import type { ResourceOptions } from './connected-core.ts';
import { PlainRestResource } from './plain-rest-resource.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';

/** How plain resources are made. Described actions are methods known to the compiler. */
export interface PlainResourceConstructor {
  readonly prototype: PlainRestResource;
  /** The check that does no more than require its parameter. */
  readonly REQUIRED: RequiredCheck;
  /** Says what an action answers with: `response: PlainResource.type<Photo>()`. */
  type<T>(): StandardSchemaV1<unknown, T>;
  new (): PlainRestResource & UntypedActions;
  new <const D extends Description>(
    description: D,
    options?: ResourceOptions,
  ): PlainRestResource & Actions<D>;
}

export const PlainResource: PlainResourceConstructor = withActions(PlainRestResource);
export type PlainResource = PlainRestResource;

/** The compiler cannot see that `map` makes methods of the described actions; the overload tells it. */
function withActions(constructor: typeof PlainRestResource): PlainResourceConstructor;
function withActions(constructor: unknown): unknown {
  return constructor;
}
