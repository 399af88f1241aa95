import { describe, expect, test, vi } from 'vitest';
import { greetingOf } from '../../shared/messages.fixture.ts';
import { FakeHost, flush } from './host.fixture.ts';
import { Transport } from './transport.ts';

test('a transport makes one proxy of each call, and closed leaves none to be collected', async () => {
  const host = new FakeHost();
  const registered = vi.spyOn(FinalizationRegistry.prototype, 'register');
  const unregistered = vi.spyOn(FinalizationRegistry.prototype, 'unregister');
  const transport = new Transport(host, 'session', () => {});
  await transport.remote.greet(greetingOf());
  for (let n = 0; n < 3; n += 1) {
    await transport.remote.control({ kind: 'inspect' });
    await transport.remote.submit([]);
  }
  const made = registered.mock.calls.map(([proxy]) => proxy);
  expect(made.length).toBe(4);
  transport.close();
  const left = made.filter((proxy) => !unregistered.mock.calls.some(([released]) => released === proxy));
  expect(left.length).toBe(0);
});

describe('what a receipt brings along', () => {
  const draining = { kind: 'draining' } as const;

  test('is delivered, before what is told after it', async () => {
    const host = new FakeHost();
    const taken: string[] = [];
    const transport = new Transport(
      host,
      'session',
      (batch) => void taken.push(...batch.map(({ kind }) => kind)),
    );
    await transport.remote.greet(greetingOf());
    host.life.travelling = [{ kind: 'ticking', loop: 1, place: { sequence: 'life 1', number: 1 } }];
    const submitted = transport.remote.submit([]);
    const told = submitted.then(() => host.life.deliver(draining));
    await Promise.all([submitted, told]);
    expect(taken).toEqual(['ticking', 'draining']);
  });

  test('is left alone where it is none that the page understands', async () => {
    const host = new FakeHost();
    const taken: string[] = [];
    const transport = new Transport(
      host,
      'session',
      (batch) => void taken.push(...batch.map(({ kind }) => kind)),
    );
    await transport.remote.greet(greetingOf());
    host.life.travelling = JSON.parse('[{ "kind": "ticking" }]');
    expect(await transport.remote.submit([])).toMatchObject({ declined: [] });
    expect(taken).toEqual([]);
  });
});

test('a transport that is retired takes the receipts of its calls, and acknowledges nothing', async () => {
  const host = new FakeHost();
  const taken: string[] = [];
  const transport = new Transport(
    host,
    'session',
    (batch) => void taken.push(...batch.map(({ kind }) => kind)),
  );
  await transport.remote.greet(greetingOf());
  transport.retire();
  void host.life.deliver({ kind: 'draining' });
  expect(await transport.remote.submit([])).toMatchObject({ declined: [] });
  await flush();
  expect([taken, host.life.messages]).toEqual([[], 2]);
});
