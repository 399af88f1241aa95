import type { Page } from '@playwright/test';

/** Everything that the origin keeps in this browser, as text; but for the files of the app, which are everybody's. */
export async function everythingStored(page: Page): Promise<string> {
  const parts = await Promise.all([
    databases(page),
    caches(page),
    page.evaluate(() => [localStorage, sessionStorage].map((each) => JSON.stringify(each))),
  ]);
  return parts.flat().join('\n');
}

function databases(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const reader = {
      settled<Result>(request: IDBRequest<Result>): Promise<Result> {
        return new Promise((resolve, reject) => {
          request.addEventListener('success', () => resolve(request.result));
          request.addEventListener('error', () => reject(request.error ?? new Error('A request failed.')));
        });
      },
      async text(value: unknown): Promise<string> {
        if (value instanceof Blob) return value.text();
        if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return new TextDecoder().decode(value);
        if (!(value instanceof Object)) return String(value);
        const parts = await Promise.all(
          Object.entries(value)
            .flat()
            .map((each) => reader.text(each)),
        );
        return parts.join(' ');
      },
    };
    const found: string[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await reader.settled(indexedDB.open(name));
      found.push(name);
      for (const store of database.objectStoreNames) {
        const contents = database.transaction(store).objectStore(store);
        const [keys, values] = [reader.settled(contents.getAllKeys()), reader.settled(contents.getAll())];
        found.push(await reader.text(await keys), await reader.text(await values));
      }
      database.close();
    }
    return found;
  });
}

function caches(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found: string[] = [];
    for (const name of await window.caches.keys()) {
      if (name.startsWith('shell-')) continue;
      const cache = await window.caches.open(name);
      found.push(name);
      for (const request of await cache.keys()) {
        const response = await cache.match(request);
        found.push(request.url, (await response?.text()) ?? '');
      }
    }
    return found;
  });
}
