import type { Actions, UntypedActions } from './action-method.ts';
import type { DescribedResource } from './described-resource.ts';
import type { Description } from './action.ts';
import type { RequiredCheck } from './check.ts';
import { RestResource } from './rest-resource.ts';
import type { ResourceOptions } from './connected-core.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';

/** How resources are made. Described actions are methods known to the compiler. */
export interface ResourceConstructor {
  readonly prototype: RestResource;
  /** The check that does no more than require its parameter. */
  readonly REQUIRED: RequiredCheck;
  /** Says what an action answers with: `response: Resource.type<Photo>()`. It is believed; a schema would test it. */
  type<T>(): StandardSchemaV1<unknown, T>;
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
