import { expect, test } from 'vitest';
import type { CredentialsReply } from '../../shared/credentials.ts';
import { settle, stateOf } from '../platform/virtual-clock.fixture.ts';
import type { Tab } from '../tab.fixture.ts';
import { Reception } from './reception.fixture.ts';

const ORIGIN = 'https://api.example';

async function greeted(reception: Reception, client: string, provides: readonly string[]): Promise<Tab> {
  const tab = reception.tab(client);
  reception.grantLock(null);
  tab.wish = { provides };
  await tab.greet();
  return tab;
}

/** The questions that a page has been asked. */
function wanted(tab: Tab): string[] {
  return tab.deliveries.flatMap((each) => (each.kind === 'credentials-wanted' ? [each.question] : []));
}

async function reply(tab: Tab, given: CredentialsReply): Promise<void> {
  await tab.remote.control({ kind: 'credentials', question: wanted(tab).at(-1) ?? '', reply: given });
}

const GIVEN: CredentialsReply = { kind: 'given', headers: [['Authorization', 'one']], expiresAt: null };

test('a page that says so in its greeting is asked, and its answer counts', async () => {
  const reception = new Reception();
  const tab = await greeted(reception, 'client 1', [ORIGIN]);
  const providing = reception.credentials.provide(ORIGIN);
  await settle();
  expect(wanted(tab).length).toBe(1);
  await reply(tab, GIVEN);
  expect(await providing).toMatchObject({ credentials: { headers: GIVEN.headers } });
});

test('a page says between greetings that it provides, and that it does no more', async () => {
  const reception = new Reception();
  const tab = await greeted(reception, 'client 1', []);
  expect(reception.credentials.isProvided(ORIGIN)).toBe(false);
  await tab.remote.control({ kind: 'provides', origins: [ORIGIN] });
  expect(reception.credentials.isProvided(ORIGIN)).toBe(true);
  await tab.remote.control({ kind: 'provides', origins: [] });
  expect(reception.credentials.isProvided(ORIGIN)).toBe(false);
});

test('a greeting is the whole of what a page provides', async () => {
  const reception = new Reception();
  const tab = await greeted(reception, 'client 1', [ORIGIN]);
  tab.wish = {};
  await tab.greet();
  expect(reception.credentials.isProvided(ORIGIN)).toBe(false);
});

test.each(['leave', 'close'] as const)('a page that says %s is asked no more, but the next', async (kind) => {
  const reception = new Reception();
  const tab = await greeted(reception, 'client 1', [ORIGIN]);
  const other = await greeted(reception, 'client 2', [ORIGIN]);
  void reception.credentials.provide(ORIGIN);
  await settle();
  expect([wanted(tab).length, wanted(other).length]).toEqual([1, 0]);
  void tab.remote.control({ kind });
  await settle();
  expect(wanted(other).length).toBe(1);
});

test('a page that has crashed is asked no more, but the next', async () => {
  const reception = new Reception();
  const tab = await greeted(reception, 'client 1', [ORIGIN]);
  const other = await greeted(reception, 'client 2', [ORIGIN]);
  const providing = reception.credentials.provide(ORIGIN);
  await settle();
  await reply(tab, { kind: 'asking' });
  reception.present.delete('client 1');
  await reception.clock.advance(10_000);
  expect(await stateOf(providing)).toBe('pending');
  expect(wanted(other).length).toBe(1);
});

test('a page that is shown is asked before one that came first and is hidden', async () => {
  const reception = new Reception();
  const tab = await greeted(reception, 'client 1', [ORIGIN]);
  const other = await greeted(reception, 'client 2', [ORIGIN]);
  await tab.remote.control({ kind: 'visibility', hidden: true });
  void reception.credentials.provide(ORIGIN);
  await settle();
  expect([wanted(tab).length, wanted(other).length]).toEqual([0, 1]);
});

test('credentials of more characters than allowed are refused', async () => {
  const reception = new Reception();
  const tab = await greeted(reception, 'client 1', [ORIGIN]);
  const headers = [['Authorization', 'x'.repeat(16_384)]] as const;
  const given = tab.remote.control({
    kind: 'credentials',
    question: 'a',
    reply: { kind: 'given', headers, expiresAt: null },
  });
  await expect(given).rejects.toMatchObject({ message: expect.stringContaining('at most 16384') });
});
