import type { LoadFunctions, PageEngine } from './engine.ts';

/** Makes the engine of a scope for the page, or the process, that it runs in. */
export type MakeEngine = (scope: string, functions: LoadFunctions) => PageEngine;

/** A classic script has no exports: what it is there for lies under this name. */
const NAME = Symbol.for('offstage.page-engine');

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
