import { describe, expect, test } from 'vitest';
import { excesses } from './figures.ts';
import type { Figures } from './figures.ts';
import { perform, rulesFor } from './run.ts';
import { find, SCENARIOS } from './scenario.ts';
import { tableOf } from './table.ts';
import { wishOf } from './wish.ts';

const FIGURES: Figures = {
  steady: 1_000,
  peak: 1.5,
  peakAt: 12.3,
  mean: 0.5,
  asked: 1.2,
  answered: 1.4,
  fresh: 4.5,
  longestWait: 0.04,
  refused: 7,
};

describe('the budget', () => {
  test('is kept to the very figure', () => {
    expect(excesses(FIGURES, { peak: 1.5, mean: 0.5, asked: 1.2, answered: 1.4, fresh: 4.5 })).toEqual([]);
  });

  test('is missed by each figure for itself', () => {
    expect(excesses(FIGURES, { peak: 1.4, mean: 0.4, asked: 1, answered: 1, fresh: 4 })).toEqual([
      'peak 1.5, not 1.4',
      'mean 0.5, not 0.4',
      'asked 1.2, not 1',
      'answered 1.4, not 1',
      'fresh 4.5, not 4',
    ]);
  });

  test('is missed where clients never got an answer, and not where there was no mean', () => {
    const never = { ...FIGURES, fresh: null, asked: null, mean: null };
    expect(excesses(never, { fresh: 4.5, asked: 5, mean: 0.5 })).toEqual([
      'asked Infinity, not 5',
      'fresh Infinity, not 4.5',
    ]);
  });
});

test('a table reads as Markdown', () => {
  const task = { scenario: 'cut', rule: 'fixed', clients: 100, seed: 1, seconds: 1 };
  const report = { ...task, ...FIGURES, fresh: null, excesses: [] };
  expect(tableOf([report]).split('\n')).toEqual([
    '| scenario | rule  |  peak | at (s) |  mean | asked (s) | answered (s) | fresh (periods) | longest line (s) | 503s | over budget |',
    '| -------- | ----- | ----: | -----: | ----: | --------: | -----------: | --------------: | ---------------: | ---: | ----------- |',
    '| cut      | fixed | 1.50x |     12 | 0.50x |      1.20 |         1.40 |           never |              0.0 |    7 |             |',
  ]);
});

describe('a run', () => {
  test('has the load in parts of the steady one, from before the blow on', () => {
    const { outline } = perform({ scenario: 'reload-1s', rule: 'fixed', clients: 3_000, seed: 1 });
    expect(outline.slice(0, 30).every((load) => load > 0.5 && load < 2)).toBe(true);
    expect(outline.slice(30, 33)).toEqual([0, 30, 0]);
  });

  test('is of a rule and a scenario that there are', () => {
    const task = { scenario: 'cut', rule: 'fixed', clients: 100, seed: 1 };
    expect(() => perform({ ...task, rule: 'hope' })).toThrow('There is no rule hope');
    expect(() => perform({ ...task, scenario: 'war' })).toThrow(
      /There is no scenario war: take outage-1s-of-5s, /,
    );
  });

  test('is made of the shipped rule in every scenario, of the usual ones where they differ', () => {
    expect(rulesFor(find('cut'))).toEqual([
      'offstage',
      'fixed',
      'exponential',
      'full jitter',
      'decorrelated',
    ]);
    expect(rulesFor(find('cut-spread-30s'))).toEqual(['offstage']);
    expect(rulesFor(find('outage-10s-of-5s'))).toEqual(['offstage', 'full jitter']);
  });
});

describe('the command line', () => {
  test('asks for everything when it says nothing', () => {
    expect(wishOf([])).toEqual({ scenarios: SCENARIOS, clients: 1_000_000, seed: 1, json: false });
  });

  test('names scenarios, clients and the seed', () => {
    const wish = wishOf(['cut', '--clients', '5000', '--seed', '7', '--json']);
    expect(wish).toEqual({ scenarios: [find('cut')], clients: 5_000, seed: 7, json: true });
  });

  test.each([[['war']], [['--clients', '99']], [['--clients', 'many']], [['--seed', '1.5']]])(
    'asks for what there is not: %s',
    (args) => {
      expect(() => wishOf(args)).toThrow(RangeError);
    },
  );
});
