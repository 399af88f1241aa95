import { expect, test, vi } from 'vitest';
import { OLDEST_PROTOCOL, PROTOCOL } from '../../shared/protocol.ts';
import { FakeHost } from './host.fixture.ts';
import { Line } from './line.ts';

test('a line makes one proxy of each call, and closed leaves none to be collected', async () => {
  const host = new FakeHost();
  const registered = vi.spyOn(FinalizationRegistry.prototype, 'register');
  const unregistered = vi.spyOn(FinalizationRegistry.prototype, 'unregister');
  const line = new Line(host, 'session', () => {});
  await line.remote.greet({ protocol: PROTOCOL, oldest: OLDEST_PROTOCOL, resync: false });
  for (let n = 0; n < 3; n += 1) {
    await line.remote.control({ kind: 'inspect' });
    await line.remote.submit([]);
  }
  const made = registered.mock.calls.map(([proxy]) => proxy);
  expect(made.length).toBe(4);
  line.close();
  const left = made.filter((proxy) => !unregistered.mock.calls.some(([released]) => released === proxy));
  expect(left.length).toBe(0);
});
