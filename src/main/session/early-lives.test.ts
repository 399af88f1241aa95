import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EarlyEngine } from '../../shared/early.ts';
import { FirstVisit, FirstVisitStage } from './first-visit.fixture.ts';
import { fakeTime, pass } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

describe('what came before the worker', () => {
  test('is not handed to one that says that somebody is signed in', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    stage.sent[0]?.answer('for nobody');
    await pass(1);
    stage.host.life.identity = { name: 'Ada', epoch: 2, isSignedIn: true };
    await stage.host.activate();
    expect(stage.session.signing.identity.name).toBe('Ada');
    expect(stage.host.life.told('adopt')).toEqual([]);
  });
});

test('the worker is fetched though the engine for the first calls does not load', async () => {
  const host = new FirstVisit();
  host.early = () => new Promise<EarlyEngine>(() => {});
  const stage = new FirstVisitStage(host);
  await stage.call(1);
  await pass(2_999);
  expect(host.calm).toBe(false);
  await pass(1);
  expect(host.calm).toBe(true);
});
