import type { Ability } from './scenario.ts';

/** One browser, driven in its own way: stock, as users have it. */
export interface Engine {
  readonly name: EngineName;
  /** As the browser tells it. */
  readonly version: string;
  readonly abilities: ReadonlySet<Ability>;
  /** Called first where a scenario stops the worker: the origin's worker may have to be put where it can be. */
  prepareStop(origin: string): Promise<void>;
  /** Opens a top-level page of the one profile; resolves once it loads. */
  open(url: string): Promise<EnginePage>;
  /** Has the service worker ended as the browser may at any time; the page itself sees when it is dead. */
  stopWorker(): Promise<void>;
  /** Ends the browser and all that it started. */
  close(): Promise<void>;
}

export interface EnginePage {
  reload(): Promise<void>;
  /** Past every cache, and past the service worker. */
  hardReload(): Promise<void>;
  close(): Promise<void>;
}

export const ENGINES = ['chromium', 'firefox', 'webkit'] as const;

export type EngineName = (typeof ENGINES)[number];

export function isEngineName(name: string): name is EngineName {
  return ENGINES.some((each) => each === name);
}
