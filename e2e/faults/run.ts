import { Random } from './random.ts';
import { complaintsOf, textOf } from './row.ts';
import type { Bench, Browsers, EngineName, Result, Row } from './row.ts';
import { ROWS } from './rows.ts';
import { wishOf, type Wish } from './wish.ts';

/** Of the columns; negative ones are for numbers, which stand right. */
const WIDTHS = [4, -3, 18, -8, -5, -11, -5, -8, 0];

/** What is known of a run that came to no end. */
const NOTHING: Result = { rounds: 0, lost: 0, duplicated: 0, hung: 0, figures: [] };

const HEAD = columns('', '#', 'row', 'rounds', 'lost', 'duplicated', 'hung', 'seconds', 'figures');

/** Runs the rows that are asked for, one after the other, and prints one line each; returns whether all passed. */
export async function runBench(args: readonly string[], browsers: Browsers): Promise<boolean> {
  const wish = wishOf(args, ROWS, Math.floor(Math.random() * 2 ** 32));
  if (!wish.json) console.log(`seed ${wish.seed}, ${wish.engine}\n${HEAD}`);
  let passed = true;
  for (const row of wish.rows) {
    const report = await runRow(row, wish, browsers);
    passed &&= report.passed;
    console.log(wish.json ? JSON.stringify(report) : lineOf(report));
  }
  return passed;
}

/** One row's run, as `--json` prints it. */
export interface Report extends Result {
  readonly number: number;
  readonly name: string;
  readonly engine: EngineName;
  readonly seed: number;
  readonly seconds: number;
  readonly passed: boolean;
  readonly complaints: readonly string[];
}

async function runRow(row: Row, wish: Wish, browsers: Browsers): Promise<Report> {
  const { number, name } = row;
  const { engine, seed } = wish;
  const rounds = wish.rounds ?? row.rounds[wish.length];
  const began = performance.now();
  const { result, complaints } = await findOut(row, {
    ...browsers,
    engine,
    rounds,
    random: new Random(seed),
  });
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return { number, name, engine, seed, ...result, seconds, passed: complaints.length === 0, complaints };
}

/** A row that cannot be played has failed, and the others are played all the same. */
async function findOut(row: Row, bench: Bench): Promise<{ result: Result; complaints: string[] }> {
  try {
    const result = await row.run(bench);
    return { result, complaints: complaintsOf(result) };
  } catch (error) {
    console.error(error);
    return { result: NOTHING, complaints: [`not played to its end: ${messageOf(error)}`] };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}

function lineOf(report: Report): string {
  const { number, name, rounds, lost, duplicated, hung, seconds, figures, passed, complaints } = report;
  const cells = [number, name, rounds, lost, duplicated, hung, seconds].map(String);
  const line = columns(passed ? 'ok' : 'FAIL', ...cells, figures.map(textOf).join(', '));
  return [line, ...complaints.map((complaint) => `       ${complaint}`)].join('\n');
}

function columns(...cells: readonly string[]): string {
  return cells
    .map((cell, index) => {
      const width = WIDTHS[index] ?? 0;
      return width < 0 ? cell.padStart(-width) : cell.padEnd(width);
    })
    .join('  ');
}
