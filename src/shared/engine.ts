import type { Envelope } from './guard.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';

/** A classic script has no exports: what it is there for lies under this name. */
const NAME = Symbol.for('offstage.page-engine');

/** Whoever posts messages to an engine and is posted to: a window client, or its like. */
export interface Source {
  readonly id: string;
  postMessage(message: unknown, transfer: readonly object[]): void;
}

/** What it returns follows from what it is given, and from nothing else. */
export type WorkerFunction = (...given: never[]) => unknown;

/** An app's own functions and schemas, by the names that its pages use; a module's exports are such a record. */
export type WorkerFunctions = Readonly<Record<string, WorkerFunction | StandardSchemaV1>>;

export type LoadFunctions = () => WorkerFunctions | Promise<WorkerFunctions>;

/** An engine as a page sees it that runs it itself: the same door that a service worker's messages enter by. */
export interface PageEngine {
  /** Takes one message; resolves when the work that it started is done. */
  receive(source: Source, envelope: Envelope): Promise<void>;
  /** The page goes, perhaps into the back/forward cache: another engine of the origin may act. */
  rest(): void;
  /** The page is back. */
  resume(): void;
  /** Hears that another engine has taken the lock away: a service worker acts. The returned function ends that. */
  onLockStolen(hear: () => void): () => void;
}

/** Makes the engine of a scope for the page, or the process, that it runs in. */
export type MakeEngine = (scope: string, functions: LoadFunctions) => PageEngine;

export function handOver(make: MakeEngine): void {
  Reflect.set(globalThis, NAME, make);
}

/** Null where no script has handed one over. */
export function handedOver(): MakeEngine | null {
  const make: unknown = Reflect.get(globalThis, NAME);
  return isMakeEngine(make) ? make : null;
}

function isMakeEngine(value: unknown): value is MakeEngine {
  return typeof value === 'function';
}
