import type { Envelope } from './guard.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';

/** A classic script has no exports, so it stores its function under this name. */
const NAME = Symbol.for('offstage.page-engine');

/** The page at the other end of an engine's messages: a window client, or an object like it. */
export interface Source {
  readonly id: string;
  postMessage(message: unknown, transfer: readonly object[]): void;
}

/** A pure function: its result depends only on its arguments. */
export type WorkerFunction = (...given: never[]) => unknown;

/** An app's own functions and schemas, by the names that its pages use. A module's exports fit. */
export type WorkerFunctions = Readonly<Record<string, WorkerFunction | StandardSchemaV1>>;

export type LoadFunctions = () => WorkerFunctions | Promise<WorkerFunctions>;

/** An engine in the page, as that page sees it: it takes the same messages as a service worker. */
export interface PageEngine {
  /** Takes one message; resolves when the work that it started is done. */
  receive(source: Source, envelope: Envelope): Promise<void>;
  /** The page leaves, perhaps into the back/forward cache: another engine of the origin may act. */
  rest(): void;
  /** The page is back. */
  resume(): void;
  /** Calls `hear` when another engine has taken the lock: a service worker acts. The returned function ends that. */
  onLockStolen(hear: () => void): () => void;
}

/** Makes the engine of a scope for the page or process in which it runs. `encrypts`: what is stored is encrypted. */
export type MakeEngine = (scope: string, functions: LoadFunctions, encrypts: boolean) => PageEngine;

/** The query parameter that has a worker's script encrypt what it stores: so it knows before it stores anything. */
export const ENCRYPT = 'encrypt';

/** How the names of all databases begin, whatever their scope. */
export const DATABASES = 'offstage:';

export function handOver(make: MakeEngine): void {
  Reflect.set(globalThis, NAME, make);
}

/** Null where no script has handed over its function. */
export function handedOver(): MakeEngine | null {
  const make: unknown = Reflect.get(globalThis, NAME);
  return isMakeEngine(make) ? make : null;
}

function isMakeEngine(value: unknown): value is MakeEngine {
  return typeof value === 'function';
}
