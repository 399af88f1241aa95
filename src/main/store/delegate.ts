import type { RequestData } from '../resource/body.ts';
import type { InputParams } from '../resource/params.ts';
import type { RequestDraft } from '../resource/request-draft.ts';

/** What a store lets others do on its way from the answer to the model. */
export interface RestStoreDelegate<Response = unknown, Model = unknown> {
  /** Sees every request of the store's action before it is sent, beside the resource's own callbacks. */
  configureRequest?(request: RequestDraft, action: string, params: InputParams, data: RequestData): void;
  /** Makes the model of a response; gets a copy of its own and may change it. */
  manipulateData?(response: Response): Model;
}

/** Without a delegate of its own making the model is the response, which the resource's types speak of. */
export function modelOf<Model>(response: unknown, delegate: RestStoreDelegate<unknown, Model>): Model;
export function modelOf(response: unknown, delegate: RestStoreDelegate): unknown {
  return delegate.manipulateData ? delegate.manipulateData(structuredClone(response)) : response;
}
