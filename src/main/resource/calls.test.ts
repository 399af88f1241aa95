import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { answered, invocation, refused } from '../session/invocation.fixture.ts';
import type { EncodedBody } from './body.ts';
import { ResourceCalls } from './calls.ts';
import { FakeLink, SILENT } from './link.fixture.ts';
import { call } from './notice.fixture.ts';
import type { Call, Notice } from './notice.ts';
import { schema } from './schema.fixture.ts';

const NO_BODY: EncodedBody = { body: { kind: 'none' }, contentType: null };

class Stage {
  readonly link: FakeLink = new FakeLink();
  readonly notices: Notice[] = [];
  hearsStart = true;
  /** The pending writes, each time that they have changed. */
  readonly writes: number[] = [];
  readonly calls: ResourceCalls = new ResourceCalls({
    notify: (notice) => this.notices.push(notice),
    hearsStart: () => this.hearsStart,
    answered: () => {},
    isOptimistic: () => false,
    resource: () => 'photos',
    changed: () => this.writes.push(this.calls.pendingWrites),
  });

  start(
    id: number,
    signal?: AbortSignal,
    encoded: EncodedBody | Promise<EncodedBody> = NO_BODY,
    wish: Partial<Call> = {},
  ): void {
    const prepared = { encoded, timeout: 1_000, headers: [], finish: () => invocation() };
    this.calls.start(call(id, wish), prepared, this.link, SILENT, signal);
  }

  get types(): string[] {
    return this.notices.map(({ type }) => type);
  }
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a call is sent, and told from the next turn on', async () => {
  const stage = new Stage();
  stage.start(1);
  expect(stage.link.calls).toMatchObject([{ submission: { id: 1, interest: SILENT } }]);
  expect(stage.types).toEqual([]);
  await settled();
  expect(stage.types).toEqual(['started']);
  stage.link.calls[0]?.listener.sent(200, []);
  stage.link.calls[0]?.listener.progress({ loaded: 1, total: 1 });
  stage.link.settle(answered('a'));
  expect(stage.types).toEqual(['started', 'sent', 'progress', 'success']);
  expect(await stage.calls.ledger.result(1)).toBe('a');
  expect(stage.calls.openIds()).toEqual([]);
});

test('that a call has started is told to those who listen by then, and made for nobody else', async () => {
  const stage = new Stage();
  stage.hearsStart = false;
  stage.start(1);
  stage.hearsStart = true;
  await settled();
  stage.hearsStart = false;
  stage.start(2);
  await settled();
  expect(stage.notices.map(({ type, id }) => [type, id])).toEqual([['started', 1]]);
});

describe('a call that is aborted', () => {
  test('ends here and now, and the worker is told', async () => {
    const stage = new Stage();
    stage.start(1);
    await settled();
    stage.calls.abort(1);
    expect(stage.notices.at(-1)).toMatchObject({ type: 'error', phase: 'abort', error: { code: 'aborted' } });
    expect(stage.notices.at(-1)?.error?.cause).toMatchObject({ name: 'AbortError' });
    expect(stage.link.asked).toEqual([['abort', 1]]);
    stage.link.settle(answered('late'));
    expect(stage.types).toEqual(['started', 'error']);
  });

  test('by its signal has the signal’s reason for its cause', async () => {
    const stage = new Stage();
    const controller = new AbortController();
    stage.start(1, controller.signal);
    await settled();
    const reason = new Error('changed my mind');
    controller.abort(reason);
    expect(stage.notices.at(-1)?.error?.cause).toBe(reason);
  });

  test('by a signal that had aborted before never starts', async () => {
    const stage = new Stage();
    stage.start(1, AbortSignal.abort());
    expect(stage.types).toEqual([]);
    await settled();
    expect(stage.types).toEqual(['error']);
    expect(stage.link.asked).toEqual([['abort', 1]]);
  });

  test('leaves nothing behind at its signal', async () => {
    const stage = new Stage();
    const { signal } = new AbortController();
    stage.start(1, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stage.link.settle(answered());
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await settled();
  });

  test('is aborted once, and one that is settled not at all', async () => {
    const stage = new Stage();
    const controller = new AbortController();
    stage.start(1, controller.signal);
    await settled();
    stage.link.settle(answered());
    controller.abort();
    stage.calls.abort(1);
    stage.calls.abort(99);
    expect(stage.link.asked).toEqual([]);
    expect(stage.types).toEqual(['started', 'success']);
  });
});

describe('a body that the platform reads first', () => {
  test('delays the call', async () => {
    const stage = new Stage();
    stage.start(1, undefined, Promise.resolve(NO_BODY));
    expect(stage.link.calls).toEqual([]);
    await settled();
    expect(stage.link.calls).toHaveLength(1);
  });

  test('and cannot makes a failure', async () => {
    const stage = new Stage();
    stage.start(1, undefined, Promise.reject(new Error('the file is gone')));
    await settled();
    expect(stage.notices.at(-1)).toMatchObject({ type: 'error', error: { code: 'protocol' } });
    expect(stage.link.calls).toEqual([]);
  });

  test('sends nothing that was aborted meanwhile', async () => {
    const stage = new Stage();
    stage.start(1, undefined, Promise.resolve(NO_BODY));
    stage.calls.abort(1);
    await settled();
    expect(stage.link.calls).toEqual([]);
  });
});

test('calls that are under way are listed, of one action or all', () => {
  const stage = new Stage();
  stage.start(1);
  const prepared = { encoded: NO_BODY, timeout: 1_000, headers: [], finish: () => invocation() };
  stage.calls.start(call(2, { action: 'put' }), prepared, stage.link, SILENT, undefined);
  expect(stage.calls.openIds()).toEqual([1, 2]);
  expect(stage.calls.openIds('put')).toEqual([2]);
});

test('writes that are under way are counted, until the moment when their end is told', () => {
  const stage = new Stage();
  const told: number[] = [];
  const calls = new ResourceCalls({
    notify: () => told.push(calls.pendingWrites),
    hearsStart: () => true,
    answered: () => {},
    isOptimistic: () => false,
    resource: () => 'photos',
    changed: () => stage.writes.push(calls.pendingWrites),
  });
  const prepared = { encoded: NO_BODY, timeout: 1_000, headers: [], finish: () => invocation() };
  const methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE', 'QUERY'];
  for (const [id, method] of methods.entries())
    calls.start(call(id, { method }), prepared, stage.link, SILENT, undefined);
  expect(stage.writes).toEqual([1, 2, 3, 4, 5]);
  for (const id of methods.keys()) calls.abort(id);
  calls.abort(3);
  expect(stage.writes).toEqual([1, 2, 3, 4, 5, 4, 3, 2, 1, 0]);
  expect(told).toEqual([5, 5, 5, 4, 3, 2, 1, 0]);
});

describe('a call that is told a stored answer first', () => {
  const STORED = answered('old', { servedFrom: 'cache', stale: true });

  test('succeeds twice under one id, and the first answer is its result', async () => {
    const stage = new Stage();
    stage.start(1);
    await settled();
    const result = stage.calls.ledger.result(1);
    stage.link.calls[0]?.listener.preliminary(STORED);
    expect(await result).toBe('old');
    expect(stage.calls.openIds()).toEqual([1]);
    stage.link.settle(answered('new'));
    expect(stage.notices.slice(1)).toMatchObject([
      { type: 'success', id: 1, response: 'old', servedFrom: 'cache', stale: true, isPreliminary: true },
      { type: 'success', id: 1, response: 'new', servedFrom: 'network', stale: false, isPreliminary: false },
    ]);
    expect(await stage.calls.ledger.result(1)).toBe('old');
    expect(stage.calls.openIds()).toEqual([]);
  });

  test('may fail after that, which its result does not', async () => {
    const stage = new Stage();
    stage.start(1);
    await settled();
    stage.link.calls[0]?.listener.preliminary(STORED);
    stage.link.settle(refused(404));
    expect(stage.types).toEqual(['started', 'success', 'error']);
    expect(await stage.calls.ledger.result(1)).toBe('old');
  });

  test('is told nothing after an abort', async () => {
    const stage = new Stage();
    stage.start(1);
    await settled();
    stage.calls.abort(1);
    stage.link.calls[0]?.listener.preliminary(STORED);
    expect(stage.types).toEqual(['started', 'error']);
  });

  test('is told it only as its schema has it', async () => {
    const stage = new Stage();
    const today = schema((value) => (value === 'old' ? { issues: [{ message: 'old' }] } : { value }));
    stage.start(1, undefined, NO_BODY, { schema: today });
    await settled();
    stage.link.calls[0]?.listener.preliminary(STORED);
    expect(stage.types).toEqual(['started']);
    stage.link.settle(answered('new'));
    expect(await stage.calls.ledger.result(1)).toBe('new');
  });
});
