export type { ConnectionCache } from './connection/cache.ts';
export { connect } from './connection/default.ts';
export { Connection, StorageModeEvent } from './connection/connection.ts';
export { OriginEvent } from './connection/credentials.ts';
export type { ConnectionStatus } from './connection/connection.ts';
export type { SignOutOptions } from './connection/options.ts';
export type { LoadFunctions, WorkerFunction, WorkerFunctions } from '../shared/engine.ts';
export type {
  CredentialsOptions,
  CredentialsProvider,
  CredentialsRequest,
  ProvidedCredentials,
} from './connection/credentials.ts';
export type { ConnectOptions } from './connection/options.ts';
export type { Update } from './connection/update.ts';
export { RestError } from './error.ts';
export type { OptimisticWrite, Optimism } from './optimistic/write.ts';
export { appendRow, changeRow, prependRow, removeRow } from './optimistic/rows.ts';
export type { RowsOptimism } from './optimistic/rows.ts';
export type { OutboxEntry, Queued } from './outbox/entry.ts';
export { OutboxEvent } from './outbox/outbox.ts';
export type { Outbox, WriteChange } from './outbox/outbox.ts';
export type { HostKind } from './hosts/host.ts';
export type {
  ActionDescription,
  ActionOptions,
  DeclareOptions,
  Description,
  RequestHeaders,
} from './resource/action.ts';
export type {
  ActionCall,
  ActionMethod,
  ActionName,
  ActionResponse,
  Actions,
  CallResult,
  UntypedActions,
  InvocationId,
} from './resource/declared-actions.ts';
export type { RequestData } from './resource/body.ts';
export { REQUIRED } from './resource/check.ts';
export type { Check, Checks, RequiredCheck } from './resource/check.ts';
export type { ResourceOptions } from './resource/connected-core.ts';
export type { DescribedResource, EventName, EventResponse } from './resource/described-resource.ts';
export { RestEvent } from './resource/event.ts';
export type { Loop, CursorOptions, LongPollOptions, PollOptions, WaitOptions } from './resource/loop.ts';
export type { Notice, NoticeType, Phase, RestRequest } from './resource/notice.ts';
export { PlainResource } from './resource/plain-resource.ts';
export type { PlainResourceConstructor } from './resource/plain-resource.ts';
export type { PlainHandler, PlainRestResource } from './resource/plain-resource.ts';
export type { InputParams, InputScalar, InputValue, PresentValue } from './resource/params.ts';
export type { CacheLifetimes, CachePolicy } from '../shared/invocation.ts';
export type { RefreshOn } from './queries/records.ts';
export type { PrefetchOptions, QueryOptions } from './queries/options.ts';
export type { Query } from './queries/query.ts';
export type { QueryWindow, WindowSnapshot } from './queries/window.ts';
export type { Select } from './queries/view.ts';
export type { Snapshot } from './queries/view.ts';
export type { InvokeOptions } from './resource/prepare.ts';
export { RequestDraft } from './resource/prepare.ts';
export type { ConfigureRequest } from './resource/prepare.ts';
export { Resource } from './resource/resource.ts';
export type { ResourceConstructor, ResourceOf, UntypedResource } from './resource/resource.ts';
export type { RestListener, RestResource } from './resource/rest-resource.ts';
export type {
  SchemaOutput,
  StandardIssue,
  StandardProps,
  StandardResult,
  StandardSchemaV1,
} from '../shared/standard-schema.ts';
export type { ActionParams } from './resource/action.ts';
export type { Target, BindSource } from './store/model-store.ts';
export { ChangeModelEvent } from './store/model-store.ts';
export { RestStore } from './store/rest-store.ts';
export type { RestStoreDelegate } from './store/model-store.ts';
export type { RestStoreConstructor } from './store/rest-store.ts';
export type { RestStoreStatus } from './store/status.ts';
export type { Arrangement, NamedFunction } from './store/window-source.ts';
export type { StoreWindow } from './store/windows.ts';
export type { StoreWindowStatus } from './store/window-source.ts';
export type { Observer, Unsubscribe } from './store/model-store.ts';
export type { Failure, FailureCode } from '../shared/failure.ts';
export type {
  CallInspection,
  Inspection,
  LoopInspection,
  OriginInspection,
  OriginStatus,
  StoredEntry,
} from '../shared/inspection.ts';
export type { Revision } from '../shared/outcome.ts';
export { TemplateError } from '../shared/template.ts';
