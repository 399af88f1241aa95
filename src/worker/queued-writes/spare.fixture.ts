import { json } from '../platform/system.fixture.ts';
import type { SparePlace } from '../platform/system.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';

// A browser that has another place for databases, and may lose all those in the first.

/** Another place for databases, in files of its own. */
export class Spare implements SparePlace {
  factory: IDBFactory;
  /** How often it was opened. */
  opened = 0;
  /** True where it says nothing, and opens nothing. */
  isBroken = false;

  constructor(factory: IDBFactory = new IDBFactory()) {
    this.factory = factory;
  }

  readonly isThere = async (): Promise<boolean> => {
    if (this.isBroken) throw new Error('no buckets now');
    return this.opened > 0;
  };

  readonly open = async (): Promise<IDBFactory> => {
    if (this.isBroken) throw new Error('no buckets now');
    this.opened += 1;
    return this.factory;
  };

  /** All that is stored in it, as text. */
  async text(): Promise<string> {
    const names = (await this.factory.databases()).map(({ name }) => String(name));
    const contents = await Promise.all(names.map((each) => contentOf(this.factory, each)));
    return [...names, ...contents.flat()].join('\n');
  }
}

async function contentOf(factory: IDBFactory, name: string): Promise<string[]> {
  const database = await resultOf(factory.open(name));
  const stores = [...database.objectStoreNames].map((each) => database.transaction(each).objectStore(each));
  const all = await Promise.all(
    stores.map(async (store) => [
      ...(await resultOf(store.getAllKeys())).map(String),
      ...(await resultOf(store.getAll())).map((each) => JSON.stringify(each)),
    ]),
  );
  database.close();
  return all.flat();
}

export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

/** Writes that wait, of a user where a name is given: their server has no time. */
export async function waitingFor(
  stage: OutboxStage,
  texts: readonly string[],
  name: string | null = null,
): Promise<OutboxTab> {
  const tab = stage.open();
  if (name !== null) await tab.sign(name);
  stage.answer = () => json({}, { 'Retry-After': '2' }, 503);
  for (const [index, text] of texts.entries()) await tab.queue(index + 1, text);
  return tab;
}

/** Two writes waited in databases that are lost, and their copies cannot be read: a page opens. */
export async function openedWithoutCopies(): Promise<{
  readonly spare: Spare;
  readonly stage: OutboxStage;
  readonly tab: OutboxTab;
}> {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk', 'Dawn']);
  stage.loseDatabases();
  spare.isBroken = true;
  return { spare, stage, tab: stage.open() };
}

/** A page opens, and the server answers for so many seconds. Returns the texts that it has performed by then. */
export async function sentBy(stage: OutboxStage, seconds = 60): Promise<string[]> {
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, seconds);
  return stage.performed;
}
