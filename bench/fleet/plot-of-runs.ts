import { unreachable } from '../../src/shared/unreachable.ts';
import { svgOf } from './plot.ts';
import type { Axis } from './plot.ts';
import { periodOf } from './rule.ts';
import { windowOf } from './run.ts';
import type { Run } from './run.ts';
import type { Blow, Scenario } from './scenario.ts';

const SECOND = { milliseconds: 1_000, name: 'seconds' };
const MINUTE = { milliseconds: 60_000, name: 'minutes' };

/** The load over time of all rules that lived through a scenario, as SVG. */
export function plotOf(scenario: Scenario, runs: readonly Run[]): string {
  const { before, after } = windowOf(scenario);
  const unit = after > 20 * MINUTE.milliseconds ? MINUTE : SECOND;
  return svgOf({
    title: scenario.title,
    x: {
      label: `${unit.name} since ${beginningOf(scenario.blow)}`,
      from: -before / unit.milliseconds,
      to: after / unit.milliseconds,
    },
    y: loadAxisOf(scenario, runs),
    shade: { from: 0, to: scenario.blow.lasts / unit.milliseconds, label: scenario.blow.kind },
    curves: runs.map(({ report, outline }) => ({ name: report.rule, values: outline })),
  });
}

function loadAxisOf({ pace }: Scenario, runs: readonly Run[]): Axis {
  const highest = Math.max(...runs.flatMap(({ outline }) => outline));
  const unit = `clients / ${periodOf(pace) / 1_000} s`;
  return { label: `requests a second (1× = ${unit})`, from: 0, to: Math.max(2, Math.ceil(1.05 * highest)) };
}

function beginningOf({ kind }: Blow): string {
  switch (kind) {
    case 'outage':
      return 'the server went down';
    case 'offline':
      return 'a third went offline';
    case 'reload':
      return 'all pages were gone';
    case 'cut':
      return 'the cut';
    default:
      return unreachable(kind);
  }
}
