import type { Random } from './random.ts';

/** One row of the table of faults: what is done to the library, and how often. */
export interface Row {
  /** Its number in that table. */
  readonly number: number;
  readonly name: string;
  /** Rounds of a short run, and of the full figure. */
  readonly rounds: { readonly short: number; readonly long: number };
  /** Whether a short run takes more than five seconds: `npm test` leaves it to `npm run test:long`. */
  readonly slow: boolean;
  /** What `--engine` may say of it; without, Chromium alone. */
  readonly engines?: readonly EngineName[];
  run(bench: Bench): Promise<Result>;
}

/** What `--engine` takes. */
export const ENGINES = ['chromium', 'firefox'] as const;

export type EngineName = (typeof ENGINES)[number];

/** Where the browsers are. */
export interface Browsers {
  /** The path of a Chromium. */
  readonly chromium: string;
  /** That of a Firefox ESR, looked for only by a row that needs it; rejects where there is none to be had. */
  readonly firefox: () => Promise<string>;
}

/** What a run is given. */
export interface Bench extends Browsers {
  /** One of the row's own. */
  readonly engine: EngineName;
  readonly rounds: number;
  readonly random: Random;
}

/** What a run found. */
export interface Result {
  readonly rounds: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly hung: number;
  readonly figures: readonly Figure[];
}

/** A number beside the three that must be zero. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit?: string;
  /** What it must not be above. */
  readonly atMost?: number;
  /** What it must not be below. */
  readonly atLeast?: number;
}

/** What is wrong with a result, in words; empty where it passes. */
export function complaintsOf(result: Result): string[] {
  const counts = (['lost', 'duplicated', 'hung'] as const).filter((name) => result[name] > 0);
  return [
    ...counts.map((name) => `${result[name]} ${name}`),
    ...result.figures.flatMap((figure) =>
      isMet(figure) ? [] : [`${textOf(figure)}, wanted ${wantOf(figure)}`],
    ),
  ];
}

export function textOf({ name, value, unit }: Figure): string {
  return `${name} ${Math.round(value * 10) / 10}${unit ? ` ${unit}` : ''}`;
}

function isMet({ value, atMost = Infinity, atLeast = -Infinity }: Figure): boolean {
  return value >= atLeast && value <= atMost;
}

function wantOf({ atMost, atLeast }: Figure): string {
  return [atLeast !== undefined && `at least ${atLeast}`, atMost !== undefined && `at most ${atMost}`]
    .filter((each) => each !== false)
    .join(' and ');
}

/** The value below which that share of all is (0.99: the 99th percentile); NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
