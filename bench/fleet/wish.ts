import { parseArgs } from 'node:util';
import { find, SCENARIOS } from './scenario.ts';
import type { Scenario } from './scenario.ts';

/** What a run of the fleet was asked for. */
export interface Wish {
  readonly scenarios: readonly Scenario[];
  readonly clients: number;
  readonly seed: number;
  readonly json: boolean;
}

/** @throws RangeError where the command line asks for what there is not. */
export function wishOf(args: readonly string[]): Wish {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      clients: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
  const named = positionals.map(find);
  return {
    scenarios: named.length > 0 ? named : SCENARIOS,
    clients: numberOf('clients', values.clients, 100),
    seed: numberOf('seed', values.seed, 0),
    json: values.json,
  };
}

function numberOf(option: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`--${option} takes a whole number of at least ${least}, not '${text}'`);
}
