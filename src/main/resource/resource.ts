import type { Actions, UntypedActions } from './declared-actions.ts';
import type { DescribedResource } from './described-resource.ts';
import type { Description } from './action.ts';
import type { RequiredCheck } from './check.ts';
import { RestResource } from './rest-resource.ts';
import type { ResourceOptions } from './connected-core.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';

/** The constructor of resources. The compiler knows the methods of described actions. */
export interface ResourceConstructor {
  readonly prototype: RestResource;
  /** The check that only requires its parameter. */
  readonly REQUIRED: RequiredCheck;
  /** The type of an action's answer: `response: Resource.type<Photo>()`. Nothing tests it; a schema would. */
  type<T>(): StandardSchemaV1<unknown, T>;
  /** The type of an answer that is text, for example HTML: `response: Resource.text`. */
  readonly text: StandardSchemaV1<unknown, string>;
  new (): UntypedResource;
  new <const D extends Description>(description: D, options?: ResourceOptions): ResourceOf<D>;
}

/** A resource made with a description. */
export type ResourceOf<D extends Description> = DescribedResource<D> & Actions<D>;

/** A resource made without a description. */
export type UntypedResource = RestResource & UntypedActions;

export const Resource: ResourceConstructor = withActions(RestResource);
export type Resource = RestResource;

/** The compiler cannot see that `map` makes methods of the described actions; the overload tells it. */
function withActions(constructor: typeof RestResource): ResourceConstructor;
function withActions(constructor: unknown): unknown {
  return constructor;
}
