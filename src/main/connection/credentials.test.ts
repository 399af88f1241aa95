import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { Providers } from './credentials.ts';
import type { CredentialsProvider } from './credentials.ts';
import { allowedOrigins } from './options.ts';

const OWN = 'https://page.example';
const API = 'https://api.example';

/** Gives a header of that name. */
function naming(name: string): CredentialsProvider {
  return () => ({ headers: { name } });
}

/** Gives anything, as code without a compiler may. */
function giving(given: unknown): CredentialsProvider {
  return () => anything(given);
}

function anything(given: any): any {
  return given;
}

function settingsOf(origins: readonly string[] = []): Parameters<typeof allowedOrigins>[2] {
  return { origins, credentials: 'same-origin' };
}

function providers(): { readonly all: Providers; readonly told: (readonly string[])[] } {
  const told: (readonly string[])[] = [];
  return { all: new Providers((origins) => told.push(origins)), told };
}

async function asked(given: unknown): Promise<unknown> {
  const { all } = providers();
  all.add(giving(given), [OWN]);
  return all.ask({ origin: OWN, reason: 'first' });
}

describe('what a provider gives', () => {
  test.each<[string, unknown]>([
    ['an object', { Authorization: 'Bearer 1' }],
    ['Headers', new Headers({ Authorization: 'Bearer 1' })],
    ['a Map', new Map([['Authorization', ' Bearer 1 ']])],
    ['pairs', [['Authorization', 'Bearer 1']]],
  ])('may be headers as %s', async (_name, headers) => {
    const reply = await asked({ headers });
    expect(reply).toMatchObject({ kind: 'given', expiresAt: null });
    expect(JSON.stringify(reply).toLowerCase()).toContain('["authorization","bearer 1"]');
  });

  test('may say until when they are good', async () => {
    expect(await asked(Promise.resolve({ headers: {}, expiresAt: 5_000 }))).toEqual({
      kind: 'given',
      headers: [],
      expiresAt: 5_000,
    });
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'must give { headers, expiresAt }'],
    ['a token', 'abc', 'must give { headers, expiresAt }'],
    ['no headers', {}, 'must give { headers, expiresAt }'],
    ['a header of two words', { headers: { 'a b': '1' } }, "'a b' is not an HTTP token"],
    ['a value that cannot be sent', { headers: { a: '1\n2' } }, "Value of header 'a' must be"],
    ['a value that is no text', { headers: { a: 1 } }, "Value of header 'a' must be"],
    ['a cookie', { headers: { Cookie: 'a=1' } }, "the browser's own"],
    ['a date', { headers: {}, expiresAt: new Date(5_000) }, 'milliseconds of the epoch'],
    ['no number', { headers: {}, expiresAt: Number.NaN }, 'milliseconds of the epoch'],
    ['too much', { headers: { a: 'x'.repeat(16_384) } }, 'of 16384 characters'],
    ['too many', { headers: Array.from({ length: 17 }, (_, n) => [`a${n}`, '1']) }, 'at most 16 headers'],
  ])('fails with the reason where it is %s', async (_name, given, reason) => {
    expect(await asked(given)).toMatchObject({ kind: 'failed', message: expect.stringContaining(reason) });
  });

  test('is what it throws', async () => {
    const { all } = providers();
    all.add(() => Promise.reject(new Error('No session')), [OWN]);
    expect(await all.ask({ origin: OWN, reason: 'first' })).toEqual({
      kind: 'failed',
      message: 'No session',
    });
  });
});

describe('of two providers', () => {
  test('the one that was added last is asked, until it is removed', async () => {
    const { all, told } = providers();
    all.add(naming('one'), [OWN, API]);
    const remove = all.add(naming('two'), [OWN]);
    const name = async (origin: string): Promise<unknown> =>
      (await all.ask({ origin, reason: 'first' })) satisfies object;
    expect(await name(OWN)).toMatchObject({ headers: [['name', 'two']] });
    expect(await name(API)).toMatchObject({ headers: [['name', 'one']] });
    remove();
    remove();
    expect(await name(OWN)).toMatchObject({ headers: [['name', 'one']] });
    expect(told, 'what the first has given for the origin counts no more').toEqual([
      [OWN, API],
      [API],
      [OWN, API],
      [OWN, API],
    ]);
  });
});

describe('connection.credentials', () => {
  let page: FakePage;

  beforeEach(() => {
    page = new FakePage();
  });

  afterEach(() => {
    page.leave();
  });

  test('is for the own origin unless others are named, and ends with the returned function', async () => {
    const remove = page.connection.credentials(() => ({ headers: {} }));
    await page.connection.ready;
    await flush();
    expect(page.host.life.told('provides')).toEqual([{ kind: 'provides', origins: [OWN] }]);
    remove();
    await flush();
    expect(page.host.life.told('provides').at(-1)).toEqual({ kind: 'provides', origins: [] });
  });

  test.each<[string, unknown, object, string]>([
    ['a provider that is none', 'token', {}, 'A credentials provider must be a function'],
    ['an unknown option', () => {}, { origin: API }, "Unknown option 'origin' of credentials"],
    ['what is no origin', () => {}, { origins: ['/api'] }, "'/api' in origins is no http(s) origin"],
    ['an origin that connect() does not name', () => {}, { origins: [API] }, `Credentials for ${API}`],
  ])('throws for %s', (_name, provider, options, message) => {
    const credentials = (): unknown => page.connection.credentials(anything(provider), options);
    expect(credentials).toThrow(TypeError);
    expect(credentials).toThrow(message);
  });

  test('takes an origin that connect() names', () => {
    expect(allowedOrigins(() => ({ headers: {} }), { origins: [OWN, API] }, settingsOf([API]))).toEqual([
      OWN,
      API,
    ]);
  });

  test('throws where the connection has calls send none', () => {
    const settings = { origins: [], credentials: 'omit' } as const;
    expect(() => allowedOrigins(() => ({ headers: {} }), {}, settings)).toThrow(TypeError);
  });

  test('throws where there is no page, and so no origin of its own', () => {
    vi.stubGlobal('document', undefined);
    expect(() => allowedOrigins(() => ({ headers: {} }), {}, settingsOf())).toThrow(TypeError);
  });
});
