import { expect, test, vi } from 'vitest';
import { Reception } from './reception.fixture.ts';

test('a page is told by one proxy, and leaves none to be collected when it is gone', async () => {
  const registered = vi.spyOn(FinalizationRegistry.prototype, 'register');
  const unregistered = vi.spyOn(FinalizationRegistry.prototype, 'unregister');
  const reception = new Reception();
  reception.grantLock(null);
  const tab = reception.tab();
  const ends = registered.mock.calls.map(([, end]) => end);
  await tab.greet();
  for (const id of [1, 2, 3]) {
    await tab.submit(id);
    reception.pending[id - 1]?.answer();
    await vi.waitFor(() => expect(tab.settled).toContain(id));
  }
  const made = registered.mock.calls.filter(([, end]) => !ends.includes(end)).map(([proxy]) => proxy);
  expect(made.length).toBe(2);
  reception.present.delete('client 1');
  await reception.clock.advance(8_000);
  const left = made.filter((proxy) => !unregistered.mock.calls.some(([released]) => released === proxy));
  expect(left.length).toBe(0);
});
