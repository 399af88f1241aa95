import { isPointer, pointed } from '../../shared/pointer.ts';
import type { RequestData } from '../resource/body.ts';
import { aFunction, assertMembers } from '../resource/option-checks.ts';
import type { Rules } from '../resource/option-checks.ts';
import type { InputParams } from '../resource/params.ts';
import type { RequestDraft } from '../resource/prepare.ts';

/** What a store lets others do on its way from the answer to the model. */
export interface RestStoreDelegate<Response = unknown, Model = unknown> {
  /** JSON Pointer (RFC 6901) to the part of a response that the model is made of, null where it leads nowhere. */
  readonly select?: string;
  /** Sees every request of the store's action before it is sent, beside the resource's own callbacks. */
  configureRequest?(request: RequestDraft, action: string, params: InputParams, data: RequestData): void;
  /** Makes the model of a response, or of what `select` points to in it; gets a copy of its own and may change it. */
  manipulateData?(response: Response): Model;
}

/** Without a delegate of its own making the model is the response, which the resource's types speak of. */
export function modelOf<Model>(response: unknown, delegate: RestStoreDelegate<unknown, Model>): Model;
export function modelOf(response: unknown, delegate: RestStoreDelegate): unknown {
  const selected = pointed(response, delegate.select ?? '') ?? null;
  return delegate.manipulateData ? delegate.manipulateData(structuredClone(selected)) : selected;
}

/** @throws TypeError where it is none, or its `select` no JSON Pointer. */
export function assertDelegate(delegate: RestStoreDelegate): void {
  assertMembers('a store', delegate, delegateRules);
  assertPointer(delegate.select);
}

function delegateRules(): Rules<RestStoreDelegate> {
  return { select: null, configureRequest: aFunction(), manipulateData: aFunction() };
}

function assertPointer(select: unknown): void {
  if (select === undefined || (typeof select === 'string' && isPointer(select))) return;
  const got = typeof select === 'string' ? `'${select}'` : typeof select;
  throw new TypeError(`'select' must be a JSON pointer like '/items', got ${got}`);
}
