import { launchChromium } from './chromium.ts';
import { ENGINES, isEngineName, type Engine, type EngineName } from './engine.ts';
import { launchFirefox } from './firefox.ts';
import { perform } from './performance.ts';
import { Prompter } from './prompter.ts';
import type { Ability, Scenario, Verdict } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { launchWebKit } from './webkit.ts';

// `node run.js [chromium] [firefox] [webkit]`: one line for each engine and scenario, last `N passed, N failed`.

const LAUNCH: Readonly<Record<EngineName, () => Promise<Engine>>> = {
  chromium: launchChromium,
  firefox: launchFirefox,
  webkit: launchWebKit,
};

/** Why an engine is not asked for what its driver cannot do. */
const UNABLE: Readonly<Record<Ability, string>> = {
  'stop-worker': 'no way to stop a worker',
  'hard-reload': 'no command reloads past the worker',
};

/** Milliseconds for each engine: some four times what a slow machine takes. */
const LIMIT = 300_000;

const tally = { passed: 0, failed: 0 };

async function main(named: readonly string[]): Promise<void> {
  const engines = named.length === 0 ? ENGINES : named.filter(isEngineName);
  endInTime(LIMIT * engines.length);
  const prompter = new Prompter();
  await prompter.up();
  for (const name of engines) await playIn(name, prompter);
  await prompter.down();
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  process.exit(tally.failed > 0 ? 1 : 0);
}

/** A limit for all, and Ctrl-C: the browsers end with this process, which has to come to its own end for that. */
function endInTime(milliseconds: number): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  setTimeout(() => {
    console.log(
      `FAIL not done in ${milliseconds / 1000} s\n${tally.passed} passed, ${tally.failed + 1} failed`,
    );
    process.exit(1);
  }, milliseconds).unref();
}

async function playIn(name: EngineName, prompter: Prompter): Promise<void> {
  const engine = await LAUNCH[name]().catch((error: unknown) => {
    tell(name, { name: 'starts', ok: false, details: [String(error), String(Object(error).cause)] });
    return null;
  });
  if (!engine) return;
  console.log(`${name}: ${engine.version}`);
  for (const scenario of SCENARIOS) await judge(engine, scenario, prompter);
  await engine.close();
}

async function judge(engine: Engine, scenario: Scenario, prompter: Prompter): Promise<void> {
  const missing = scenario.needs.find((need) => !engine.abilities.has(need));
  if (missing) {
    console.log(`  -- ${engine.name}: ${scenario.name} (not asked: ${UNABLE[missing]})`);
    return;
  }
  const began = performance.now();
  const verdict = await perform(engine, scenario, prompter);
  tell(engine.name, verdict, performance.now() - began);
}

function tell(engine: EngineName, { name, ok, details }: Verdict, milliseconds = 0): void {
  tally[ok ? 'passed' : 'failed'] += 1;
  console.log(`${ok ? '  ok' : 'FAIL'} ${engine}: ${name} in ${(milliseconds / 1000).toFixed(1)} s`);
  for (const detail of details) console.log(`       ${detail}`);
}

await main(process.argv.slice(2));
