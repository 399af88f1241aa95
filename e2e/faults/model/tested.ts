import { find } from './run.ts';
import type { Model, Tally } from './run.ts';

/** The seed of the first run that the test of a model plays, and how many it plays: in `npm test` always the same. */
const FIRST = Number(process.env['MODEL_SEED'] ?? 1);
export const RUNS: number = Number(process.env['MODEL_RUNS'] ?? 200);

/**
 * Milliseconds that these may take. A run takes half a second by itself, and was seen to take 1.3 on two slow cores: what takes
 * this long never ends.
 */
export const PATIENCE: number = 60_000 + RUNS * 5_000;

/** Plays them until three differ, or the signal aborts; resolves with what differs, empty if nothing does. */
export async function differencesIn<Command>(
  model: Model<Command>,
  tally: Tally,
  signal: AbortSignal,
): Promise<string> {
  const findings: string[] = [];
  for (let seed = FIRST; seed < FIRST + RUNS && findings.length < 3 && !signal.aborted; seed += 1) {
    const finding = await find(model, seed, tally);
    if (finding !== null) findings.push(finding);
  }
  return findings.join('\n');
}
