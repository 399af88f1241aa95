import { until } from '../platform/system.fixture.ts';
import type { FakeSystem } from '../platform/system.fixture.ts';

/** Holds a transaction of its own over a database's stores: all others wait for it, as for a slow disk. */
export async function hold(
  { indexedDB }: Pick<FakeSystem, 'indexedDB'>,
  name = 'offstage:/#default',
): Promise<() => void> {
  const request = indexedDB?.open(name);
  let database: IDBDatabase | null = null;
  request?.addEventListener('success', () => (database = request.result));
  await until(() => database !== null);
  return kept(database);
}

function kept(database: IDBDatabase | null): () => void {
  if (!database) throw new Error('There is no database to hold.');
  const transaction = database.transaction([...database.objectStoreNames], 'readwrite');
  let isHeld = true;
  const goOn = (): void => {
    if (isHeld) transaction.objectStore('meta').get('held').addEventListener('success', goOn);
    else database.close();
  };
  goOn();
  return () => (isHeld = false);
}
