import type { MakeEngine } from '../../shared/engine.ts';

/** Loads the engine as a chunk of its own. A build without a bundler uses `website/engine-module.ts` instead. */
export async function loadEngineModule(): Promise<MakeEngine> {
  const { pageEngine } = await import('../../worker/in-page.ts');
  return pageEngine;
}
