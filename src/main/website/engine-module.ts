import { handedOver } from '../../shared/engine.ts';
import type { MakeEngine } from '../../shared/engine.ts';

/** Loads the ready-made worker's script, which lies beside this one and contains the engine for pages too. */
export async function loadEngineModule(): Promise<MakeEngine> {
  await import('../../worker/service-worker.ts');
  const make = handedOver();
  if (!make) throw new Error('The service-worker.js beside offstage.global.js is another script');
  return make;
}
