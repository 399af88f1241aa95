import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answered } from '../session/invocation.fixture.ts';
import { FakeLink, quietCore } from './link.fixture.ts';
import { schema } from './schema.fixture.ts';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  vi.useRealTimers();
});

test('a call settles within its time though the schema of an earlier one hangs', async () => {
  const link = new FakeLink();
  const core = quietCore(link);
  const response = schema((value) => (value === 'slow' ? new Promise(() => {}) : { value }));
  core.actions.map('get', 'GET', '/photo', undefined, { response });
  core.invoke('get', {}, null, { timeout: 600_000 });
  const id = core.invoke('get', {}, null, { timeout: 1_000 });
  let end: unknown = 'pending';
  core.result(id).then(
    (value) => (end = value),
    (error: { code: string }) => (end = error.code),
  );
  link.calls[0]?.listener.settled(answered('slow'));
  link.calls[1]?.listener.settled(answered('quick'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(end).not.toBe('pending');
});
