import { expect, test } from 'vitest';
import { invocation } from '../cache/invocation.fixture.ts';
import { LIMITS } from '../../shared/limits.ts';
import { json } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { EngineStage } from './engine.fixture.ts';

const ASKED = {
  interest: { started: false, sent: false, progress: false },
  say: (): void => {},
  tellFirst: (): void => {},
  takeEarly: null,
};

function ask(stage: EngineStage, page: string, template: string): Promise<ReadOutcome> {
  const { signal } = new AbortController();
  const policy = { revalidate: false };
  const asked = { ...ASKED, invocation: invocation({ template, policy }), page, signal };
  return stage.engine.call(asked);
}

test('a page does not wait for the turn of another page that asks for the same', async () => {
  const stage = new EngineStage(({ url }) => (url.includes('/slow') ? new Promise(() => {}) : json([1])));
  for (let nth = 0; nth < LIMITS.requests; nth += 1) void ask(stage, 'greedy', `/slow/${nth}`);
  void ask(stage, 'greedy', '/photo');
  await settle();
  const outcome = ask(stage, 'modest', '/photo');
  await stage.system.clock.advance(1_000);
  expect(await Promise.race([outcome, settle().then(() => 'it waits')])).toMatchObject({ kind: 'answered' });
});
