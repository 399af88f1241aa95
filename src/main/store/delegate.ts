import { isPointer, pointed } from '../../shared/pointer.ts';
import type { RequestData } from '../resource/body.ts';
import { aFunction, assertMembers } from '../resource/option-checks.ts';
import type { Rules } from '../resource/option-checks.ts';
import type { InputParams } from '../resource/params.ts';
import type { RequestDraft } from '../resource/prepare.ts';

/** An app's own steps on the way from the answer to the model. */
export interface RestStoreDelegate<Response = unknown, Model = unknown> {
  /** JSON Pointer (RFC 6901) to the part of a response that becomes the model; that is null where it leads nowhere. */
  readonly select?: string;
  /** The store follows what the action asks with these parameters, and nothing else (default: all that it asks). */
  readonly params?: InputParams;
  /** Sees every request of the store's action before it is sent, in addition to the resource's own callbacks. */
  configureRequest?(request: RequestDraft, action: string, params: InputParams, data: RequestData): void;
  /** Makes the model from a response, or from the part that `select` names; it gets its own copy and may change it. */
  manipulateData?(response: Response): Model;
}

/** Without `manipulateData`, the model is the response or its selected part, with the resource's types. */
export function modelOf<Model>(response: unknown, delegate: RestStoreDelegate<unknown, Model>): Model;
export function modelOf(response: unknown, delegate: RestStoreDelegate): unknown {
  const selected = pointed(response, delegate.select ?? '') ?? null;
  return delegate.manipulateData ? delegate.manipulateData(structuredClone(selected)) : selected;
}

/** @throws TypeError where it is not a delegate, or its `select` not a JSON Pointer. */
export function assertDelegate(delegate: RestStoreDelegate): void {
  assertMembers('a store', delegate, delegateRules);
  assertPointer(delegate.select);
}

function delegateRules(): Rules<RestStoreDelegate> {
  return { select: null, params: null, configureRequest: aFunction(), manipulateData: aFunction() };
}

function assertPointer(select: unknown): void {
  if (select === undefined || (typeof select === 'string' && isPointer(select))) return;
  const got = typeof select === 'string' ? `'${select}'` : typeof select;
  throw new TypeError(`'select' must be a JSON pointer like '/items', got ${got}`);
}
