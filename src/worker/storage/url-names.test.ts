import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import type { Place } from '../contracts/root-store.ts';
import { Deferred } from '../platform/waiting.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { Database } from './database.ts';
import { UrlNames } from './responses.ts';

const URL = 'https://page.example/secret/path';

function namesOf(system: FakeSystem, isEncrypted = true): UrlNames {
  return new UrlNames(system, new Database(system, 'default', () => {}, { isEncrypted }));
}

test('what is not encrypted calls a URL by itself, at once', () => {
  expect(namesOf(new FakeSystem(), false).of(URL)).toBe(URL);
});

test('a digest is the same for every worker, and another in every database', async () => {
  const system = new FakeSystem();
  const names = namesOf(system);
  const digest = await names.of(URL);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  // Known by now: no turn of the event loop passes.
  expect(names.of(URL)).toBe(digest);
  expect(await namesOf(system).of(URL)).toBe(digest);
  expect(await names.of(`${URL}/1`)).not.toBe(digest);
  expect(await namesOf(new FakeSystem()).of(URL)).not.toBe(digest);
});

test('a database that was made anew makes new digests', async () => {
  const system = new FakeSystem();
  const names = namesOf(system);
  const before = await names.of(URL);
  await new Promise((resolve) => {
    system.indexedDB
      ?.deleteDatabase('offstage:encrypted:default')
      .addEventListener('success', () => resolve(null));
  });
  await names.of(`${URL}/1`);
  expect(await names.of(URL)).not.toBe(before);
});

test('in memory alone a URL is called by itself', async () => {
  expect(await namesOf(Object.assign(new FakeSystem(), { indexedDB: null })).of(URL)).toBe(URL);
});

test('while a database is late, a URL has a name that is nobody’s and that tells nothing', async () => {
  const system = new FakeSystem();
  const { promise: place, resolve } = new Deferred<Place>();
  const names = new UrlNames(system, new Database(system, place, () => {}, { isEncrypted: true }));
  const early = names.of(URL);
  await system.clock.advance(LIMITS.transaction);
  expect(await early).not.toContain('page.example');
  expect(await names.of(URL)).toBe(await early);
  resolve({ kind: 'database', partition: 'default', owner: null });
  await place;
  expect(await namesOf(system).of(URL)).not.toBe(await early);
  expect(await names.of(`${URL}/1`)).toMatch(/^[0-9a-f]{64}$/);
  expect(await names.of(URL)).toBe(await namesOf(system).of(URL));
});
