import type { EarlyEngine } from '../../shared/early.ts';
import type { MakeEngine } from '../../shared/engine.ts';

/** Loads the engine for the first requests of a page that has no worker yet: a small chunk of its own. */
export async function loadEarlyEngine(): Promise<EarlyEngine | null> {
  const { pageEarlyEngine } = await import('../../worker/early.ts');
  return pageEarlyEngine();
}

/** Loads the engine as a chunk of its own. A build without a bundler uses `website/engine-module.ts` instead. */
export async function loadEngineModule(): Promise<MakeEngine> {
  const { pageEngine } = await import('../../worker/in-page.ts');
  return pageEngine;
}
