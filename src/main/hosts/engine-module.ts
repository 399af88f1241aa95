import type { MakeEngine } from '../../shared/engine.ts';

/** Loads the engine, a chunk of its own. Where there is no bundler, `website/engine-module.ts` stands for this module. */
export async function loadEngineModule(): Promise<MakeEngine> {
  const { pageEngine } = await import('../../worker/in-page.ts');
  return pageEngine;
}
