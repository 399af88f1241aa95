import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { Database } from './database.ts';
import { IdbResponses } from './idb-responses.ts';
import { record, replaceBy } from './record.fixture.ts';

function encrypted(system: FakeSystem): Database {
  return new Database(system, 'default', () => {}, { isEncrypted: true });
}

test('two engines that find damaged keys at once go on with the same new ones', async () => {
  const system = new FakeSystem();
  const before = encrypted(system);
  await (await before.connect())?.connection.put('meta', 'no keys', 'keys');
  before.retire();
  const [one, other] = [encrypted(system), encrypted(system)];
  await Promise.all([one.connect(), other.connect()]);
  await new IdbResponses(system, one).update('a', replaceBy(record('a')));
  await new IdbResponses(system, other).update('b', replaceBy(record('b')));
  expect(await new IdbResponses(system, other).find('a')).toEqual(record('a'));
  expect(await new IdbResponses(system, encrypted(system)).find('b')).toEqual(record('b'));
});
