import { describe, expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { EngineStage } from './engine.fixture.ts';
import { call, seconds } from './freshness.fixture.ts';

/** A stage whose server answers when a test says. */
function stageOf(): { stage: EngineStage; answer: (response: Response) => void } {
  const open: ((response: Response) => void)[] = [];
  const stage = new EngineStage(() => new Promise<Response>((resolve) => open.push(resolve)));
  return { stage, answer: (response) => open.shift()?.(response) };
}

function asOfOf(outcome: ReadOutcome): number | undefined {
  return outcome.kind === 'answered' ? outcome.asOf : undefined;
}

/**
 * Promise (guide, "Shown at once"): "an answer that was asked for before the write was done does not count". An answer counts for all
 * writes that ended by its `asOf` (`Layered`), so that must not be later than when it was asked for.
 */
describe('the time of an answer', () => {
  test('of a GET is when it was asked for', async () => {
    const { stage, answer } = stageOf();
    const asked = stage.system.clock.now();
    const called = stage.call();
    await until(() => stage.system.requests.length === 1);
    await stage.system.clock.advance(10_000);
    answer(json([1]));
    expect(asOfOf(await called)).toBe(asked);
  });

  // A list that is searched by POST, as a query with `data`: its answer is from before a write that ended in between.
  test('of a search by POST is when it was asked for', async () => {
    const { stage, answer } = stageOf();
    const asked = stage.system.clock.now();
    const called = stage.call({ method: 'POST' });
    await until(() => stage.system.requests.length === 1);
    await stage.system.clock.advance(10_000);
    answer(json([1]));
    expect(asOfOf(await called)).toBe(asked);
  });

  // The server answers a long-poll because of somebody else's news; on its way is a write, whose answer comes first. The headers of the
  // long-poll come later than the end of that write (a slow line, or a proxy), and it says nothing of it.
  test('of a held request is not after a write that ended while it was held', async () => {
    const { stage, answer } = stageOf();
    const tick = stage.tick({ held: true });
    await until(() => stage.system.requests.length === 1);
    await stage.system.clock.advance(1_000);
    const ended = stage.system.clock.now();
    await stage.system.clock.advance(500);
    answer(json([1]));
    expect(asOfOf(await tick)).toBeLessThan(ended);
  });

  // The device's clock is two minutes ahead of the server's, whose answers have a `Date`. The age of a stored answer counts that (RFC
  // 9111), and the page takes `asOf` from the age: writes that this answer contains are shown over it once more.
  test.each([
    ['the clocks agree', 0],
    ['the server is two minutes behind', 120_000],
  ])('of a stored answer is when it was asked for: %s', async (_case, behind) => {
    const stage = new EngineStage();
    const asked = stage.system.clock.now();
    const date = new Date(asked - behind).toUTCString();
    stage.system.serve = () => json([1], { 'Cache-Control': 'max-age=600', Date: date });
    await call(stage);
    await seconds(stage, 5);
    const stored = await stage.call({ policy: { revalidate: false } });
    if (stored.kind !== 'answered' || stored.servedFrom !== 'cache') throw new Error('It is not stored');
    // What the page makes of it (`noticeOf`).
    const asOf = stored.asOf ?? stage.system.clock.now() - stored.age * 1_000;
    expect(asOf).toBeGreaterThan(asked - 2_000);
  });
});
