import { mkdir, writeFile } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
import { obey, runAll } from './crew.ts';
import { plotOf } from './plot-of-runs.ts';
import { rulesFor } from './run.ts';
import type { Run, Task } from './run.ts';
import { tableOf } from './table.ts';
import { wishOf } from './wish.ts';
import type { Wish } from './wish.ts';

/**
 * Runs the scenarios that are asked for, prints what came of them and draws the plots into `folder`. Returns whether the
 * shipped rule kept to its budgets.
 */
export async function runFleet(args: readonly string[], folder: string): Promise<boolean> {
  const wish = wishOf(args);
  const runs = await runAll(tasksOf(wish), new URL(import.meta.url), tellOf);
  const reports = runs.map(({ report }) => report);
  console.log(wish.json ? JSON.stringify(reports, null, 2) : tableOf(reports));
  await draw(wish, runs, folder);
  return reports.every(({ excesses }) => excesses.length === 0);
}

function tasksOf({ scenarios, clients, seed }: Wish): Task[] {
  return scenarios.flatMap((scenario) =>
    rulesFor(scenario).map((rule) => ({ scenario: scenario.name, rule, clients, seed })),
  );
}

/** Where the table does not go, for it takes minutes. */
function tellOf({ report: { scenario, rule, seconds } }: Run): void {
  console.error(`${scenario}, ${rule}: ${seconds} s`);
}

async function draw({ scenarios }: Wish, runs: readonly Run[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const scenario of scenarios) {
    const its = runs.filter(({ report }) => report.scenario === scenario.name);
    await writeFile(`${folder}/${scenario.name}.svg`, plotOf(scenario, its));
  }
}

if (!isMainThread) obey();
