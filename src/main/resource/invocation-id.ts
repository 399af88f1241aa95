declare const RESPONSE: unique symbol;

/**
 * The number of an invocation, a positive integer unique in the page, as the call returns it. The compiler alone knows
 * with it what the invocation is answered with.
 */
export type InvocationId<Response = unknown> = number & { readonly [RESPONSE]?: () => Response };
