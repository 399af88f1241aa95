import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FirstVisitStage } from './first-visit.fixture.ts';
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
