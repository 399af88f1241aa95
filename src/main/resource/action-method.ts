import type { ActionDescription, Description } from './action.ts';
import type { RequestData } from './body.ts';
import type { InputParams } from './params.ts';
import type { InvokeOptions } from './prepare.ts';
import type { SchemaOutput, StandardSchemaV1 } from '../../shared/standard-schema.ts';
import type { ActionParams } from './template-params.ts';

declare const RESPONSE: unique symbol;

/** What a call takes. Where a parameter is required the parameters are, else they may be left out or null. */
export type ActionCall<Params = InputParams> =
  Partial<Params> extends Params
    ? [params?: Params | null, data?: RequestData, options?: InvokeOptions]
    : [params: Params, data?: RequestData, options?: InvokeOptions];

/** An action as a method: returns the invocation's id. */
export type ActionMethod<Params = InputParams, Response = unknown> = (
  ...call: ActionCall<Params>
) => InvocationId<Response>;

/** The methods of described actions. */
export type Actions<D extends Description> = {
  readonly [Name in keyof D]: ActionMethod<ActionParams<D[Name]>, ActionResponse<D[Name]>>;
};

/** What an action answers with: what its `response` makes of an answer, unknown where it has none. */
export type ActionResponse<Action extends ActionDescription> = Action extends {
  readonly response: infer Schema extends StandardSchemaV1;
}
  ? SchemaOutput<Schema>
  : unknown;

/** The names of described actions. */
export type ActionName<D extends Description> = Extract<keyof D, string>;

/**
 * The actions of a resource made without a description: they come with `map`, and the compiler takes any name. The
 * usual ones are spelled out, since under `noPropertyAccessFromIndexSignature` any other is written `photo['archive']`.
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
 * The number of an invocation, a positive integer unique in the page, as the call returns it. The compiler alone knows
 * with it what the invocation is answered with.
 */
export type InvocationId<Response = unknown> = number & { readonly [RESPONSE]?: () => Response };
