import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import { every, SILENT, Stage } from './stage.fixture.ts';

const revised = (
  n: number,
): { readonly revision: { readonly lineage: string; readonly number: number } } => ({
  revision: { lineage: 'a', number: n },
});
const SAME = answered({ changed: false, ...revised(1) });
const STALE = answered({ changed: false, stale: true, servedFrom: 'cache', ...revised(1) });
const CHANGED = answered(revised(2));
/** What a call of some page brought: to the loop it is not new. */
const BROUGHT = answered({ changed: false, ...revised(3) });

/** Polls with these answers, one a second, and says the numbers of those that the page was told. */
async function told(outcomes: readonly Outcome[], wish: Partial<LoopDeclaration> = {}): Promise<number[]> {
  const stage = new Stage();
  stage.random = 0;
  stage.reply = (nth) => ({ after: 0, outcome: outcomes[nth - 1] ?? SAME });
  const loop = stage.alone({ interest: { ...SILENT, unchanged: false }, ...wish });
  while (stage.asked.length < outcomes.length) await stage.clock.advance(500);
  loop.leave();
  return stage.ticks.map(({ at }) => stage.times.indexOf(at) + 1);
}

describe('a page that wants to hear of changes alone is told', () => {
  test.each<[string, Outcome[], number[]]>([
    ['the first answer, whatever it is', [SAME, SAME], [1]],
    ['what has changed', [SAME, SAME, CHANGED, CHANGED], [1, 3]],
    ['what others have brought about', [SAME, SAME, BROUGHT, BROUGHT], [1, 3]],
    ['failures, and what follows them', [SAME, SAME, failed('network'), SAME, SAME], [1, 3, 4]],
    ['what is stale, and what follows it', [SAME, STALE, SAME, SAME], [1, 2, 3]],
    ['what is not stored', [answered(), answered()], [1, 2]],
  ])('%s', async (_what, outcomes, numbers) => {
    expect(await told(outcomes)).toEqual(numbers);
  });

  test.each<[string, Partial<LoopDeclaration>]>([
    ['where it says nothing of it', { interest: SILENT }],
    ['where it hears of steps on the way', { interest: { ...SILENT, started: true, unchanged: false } }],
    ['where the worker may rest between two ticks', { pace: every(60_000) }],
  ])('every answer %s', async (_where, wish) => {
    const outcomes = [SAME, SAME, SAME];
    expect(await told(outcomes, wish)).toHaveLength(outcomes.length);
  });

  test('the next answer, whatever it is, after it has said anew what it hears of', async () => {
    const stage = new Stage();
    stage.reply = () => ({ after: 0, outcome: SAME });
    const interest = { ...SILENT, unchanged: false };
    const loop = stage.alone({ interest });
    await stage.clock.advance(2_500);
    loop.setInterest(interest);
    await stage.clock.advance(2_000);
    expect(stage.ticks.map((tick) => tick.at)).toEqual([0, 3_000]);
  });

  test('nothing while it is hidden either, nor when it is shown, where nothing has changed', async () => {
    const stage = new Stage();
    stage.reply = () => ({ after: 0, outcome: SAME });
    const loop = stage.alone({ interest: { ...SILENT, unchanged: false } });
    await stage.clock.advance(1_500);
    loop.setHidden(true);
    await stage.clock.advance(120_000);
    const before = stage.ticks.length;
    loop.setHidden(false);
    await stage.clock.advance(60_000);
    expect([before, stage.ticks.length]).toEqual([1, 1]);
  });
});
