import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeHost } from './host.fixture.ts';
import type { Delivery, SentBody } from '../../shared/delivery.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { answered } from './invocation.fixture.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

class Stage extends SessionStage {
  readonly worker = new FakeHost();
}

test.each(['POST', 'GET'] as const)(
  'a page that comes back to an engine which tells it the rows of a %s has the whole list',
  async (method) => {
    const stage = new Stage();
    const call = await stage.call(1, { method });
    const { life } = stage.host;
    await life.deliver(chunk(0));
    await stage.host.move(stage.worker);
    await pass(100);
    await stage.host.move(stage.host);
    await pass(100);
    await life.deliver(chunk(1));
    await life.settle(1, inChunks(2));
    await pass(100);
    expect([life.resyncs, life.batches, call.ends]).toEqual([[false, false], [[1]], [[0, 1]]]);
  },
);

function inChunks(chunks: number): Outcome<SentBody> {
  const { answer, ...rest } = answered(null, { revision: { lineage: 'a', number: 1 } });
  return { ...rest, answer: { ...answer, body: { kind: 'chunked', path: [], envelope: 'null', chunks } } };
}

function chunk(index: number): Delivery {
  return { kind: 'chunk', to: { id: 1 }, index, path: [], text: `[${index}]` };
}
