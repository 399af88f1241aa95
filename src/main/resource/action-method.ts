import type { ActionDescription, Description } from './action.ts';
import type { RequestData } from './body.ts';
import type { InputParams } from './params.ts';
import type { InvokeOptions } from './prepare.ts';
import type { SchemaOutput, StandardSchemaV1 } from '../../shared/standard-schema.ts';
import type { ActionParams } from './template-params.ts';

declare const RESPONSE: unique symbol;

/** The arguments of a call. `params` may be left out or null where no parameter is required. */
export type ActionCall<Params = InputParams> =
  Partial<Params> extends Params
    ? [params?: Params | null, data?: RequestData, options?: InvokeOptions]
    : [params: Params, data?: RequestData, options?: InvokeOptions];

/** An action as a method: returns the invocation's id. */
export type ActionMethod<Params = InputParams, Response = unknown> = (
  ...call: ActionCall<Params>
) => InvocationId<Response>;

/** The methods of described actions, by name. */
export type Actions<D extends Description> = {
  readonly [Name in keyof D]: ActionMethod<ActionParams<D[Name]>, ActionResponse<D[Name]>>;
};

/** The type of an action's answer: the output of its `response` schema, unknown where it has none. */
export type ActionResponse<Action extends ActionDescription> = Action extends {
  readonly response: infer Schema extends StandardSchemaV1;
}
  ? SchemaOutput<Schema>
  : unknown;

export type ActionName<D extends Description> = Extract<keyof D, string>;

/**
 * The actions of a resource without a description: `map` adds them, and the compiler accepts any name. The usual names
 * are spelled out, since under `noPropertyAccessFromIndexSignature` any other is written `photo['archive']`.
 */
export interface UntypedActions {
  readonly get: ActionMethod;
  readonly put: ActionMethod;
  readonly post: ActionMethod;
  readonly patch: ActionMethod;
  readonly del: ActionMethod;
  readonly list: ActionMethod;
  readonly [action: string]: ActionMethod;
}

/**
 * The number of an invocation as the call returns it: a positive integer, unique in the page. The type parameter, which
 * only the compiler sees, is the type of the answer.
 */
export type InvocationId<Response = unknown> = number & { readonly [RESPONSE]?: () => Response };
