import { expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { askedOf, CREATES, made, TEMPORARY, USER } from './named-writes.fixture.ts';
import { deleteAll, EDIT, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { SlowDisk } from './slow-disk.fixture.ts';
import { openedWithoutCopies, resultOf, sentBy, Spare, waitingFor } from './spare.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

test('a copy that is late as a worker starts loses nothing: the next worker takes it back', async () => {
  const factory = new HangingFactory();
  const stage = new OutboxStage(new IDBFactory(), new Spare(factory));
  await waitingFor(stage, ['Dusk', 'Dawn']);
  stage.loseDatabases();
  // All bodies at once are more than is read in two seconds.
  factory.hangs = (_, stores, mode) => mode === 'readonly' && stores.includes('copiedBodies');
  expect(await sentBy(stage, 40)).toEqual([]);
  factory.hangs = () => false;
  await goOn(stage, 60);
  stage.restart();
  expect(await sentBy(stage)).toEqual(['Dusk', 'Dawn']);
});

test('no worker that does not learn the salt makes the copies of users unreachable', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk'], 'ada');
  stage.loseDatabases();
  spare.isBroken = true;
  stage.open().meet();
  await goOn(stage, 40);
  spare.isBroken = false;
  stage.restart();
  stage.answer = () => null;
  const tab = stage.open();
  await tab.sign('ada');
  await goOn(stage, 60);
  expect(stage.performed).toEqual(['Dusk']);
});

test('what is done is gone from the copy where its user signs out at once', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = stage.open();
  await tab.sign('ada');
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 done');
  await tab.sign(null);
  await goOn(stage, 60);
  expect(await spare.text()).not.toContain('Dusk');
});

test('what a user has discarded just before the sign-out is not sent after a loss', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  const tab = await waitingFor(stage, ['Dusk', 'Dawn'], 'ada');
  await tab.remote.control({
    kind: 'decide',
    entry: 'entry-1',
    decision: { kind: 'discard' },
    ...(tab.epoch !== undefined && { epoch: tab.epoch }),
  });
  await tab.sign(null);
  await goOn(stage, 60);
  stage.loseDatabases();
  stage.answer = () => null;
  const next = stage.open();
  await next.sign('ada');
  await goOn(stage, 60);
  expect(stage.performed).toEqual(['Dawn']);
});

test('a sign-out that discards is refused while the copy does not answer', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(new IDBFactory(), new Spare(disk));
  const tab = await waitingFor(stage, ['Dusk'], 'ada');
  disk.isBroken = true;
  const discarding = tab.discard().then(
    () => 'discarded',
    () => 'refused',
  );
  await goOn(stage, 60);
  disk.isBroken = false;
  const said = await discarding;
  await goOn(stage, 60);
  stage.loseDatabases();
  stage.answer = () => null;
  const next = stage.open();
  await next.sign('ada');
  await goOn(stage, 60);
  expect([said, stage.performed]).toEqual(['refused', ['Dusk']]);
});

test('an edit that did not reach the copy reaches it when the next worker starts', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(new IDBFactory(), new Spare(disk));
  const tab = await waitingFor(stage, ['Dusk']);
  await goOn(stage, 1);
  disk.isBroken = true;
  const body = { kind: 'text', text: 'Noon' } as const;
  const decided = tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { ...EDIT, body } });
  await goOn(stage, 3);
  await decided;
  disk.isBroken = false;
  stage.restart();
  stage.open().meet();
  await goOn(stage, 10);
  stage.loseDatabases();
  expect(await sentBy(stage)).toEqual(['Noon']);
});

test('names that were given before there was a copy are copied with the writes that use them', async () => {
  const databases = new IDBFactory();
  const before = new OutboxStage(databases);
  const tab = before.open();
  before.answer = ({ init }) => (init.method === 'POST' ? made(7) : json({}, {}, 503));
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER, { lane: 'b' });
  await goOn(before, 3);
  const stage = new OutboxStage(databases, new Spare());
  stage.answer = before.answer;
  stage.open().meet();
  await goOn(stage, 3);
  stage.loseDatabases();
  await sentBy(stage);
  expect(askedOf(stage)).toEqual(['PUT /photo/7']);
});

test('where the record of a write is damaged, its copy stays', async () => {
  const databases = new IDBFactory();
  const spare = new Spare();
  const stage = new OutboxStage(databases, spare);
  await waitingFor(stage, ['Dusk', 'Dawn']);
  await goOn(stage, 1);
  const found = (await databases.databases()).find(({ name }) => name?.includes('outbox'));
  const database = await resultOf(databases.open(String(found?.name)));
  const store = database.transaction('outbox', 'readwrite').objectStore('outbox');
  const [first] = await resultOf(store.getAll());
  await resultOf(store.put({ ...first, state: 'rotten' }));
  database.close();
  stage.restart();
  stage.open().meet();
  await goOn(stage, 5);
  await rounds();
  expect(await spare.text()).toContain('Dusk');
});

/** Another place of which a life that was killed changes nothing any more. */
class KilledWith extends Spare {
  #life = 0;

  kill(): void {
    this.#life += 1;
  }

  override readonly open = async (): Promise<IDBFactory> => {
    this.opened += 1;
    const [life, factory] = [this.#life, new (class extends IDBFactory {})()];
    const isOver = (): boolean => life !== this.#life;
    const open: IDBFactory['open'] = (...asked) => {
      const request = this.factory.open(...asked);
      request.addEventListener('success', () => {
        const begin = request.result.transaction.bind(request.result);
        request.result.transaction = (...given) => {
          if (isOver()) throw new DOMException('killed', 'UnknownError');
          return begin(...given);
        };
      });
      return request;
    };
    return Object.assign(factory, { open, databases: () => this.factory.databases() });
  };
}

test('what was discarded is not sent where the browser is killed right after that', async () => {
  const spare = new KilledWith();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = await waitingFor(stage, ['Dusk', 'Dawn']);
  const discard = { kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } } as const;
  expect(await tab.remote.control(discard)).toEqual({ kind: 'decided', as: 'decided' });
  spare.kill();
  stage.loseDatabases();
  expect(await sentBy(stage)).toEqual(['Dawn']);
});

test('large bodies that were queued one after the other are taken back from a slow disk', async () => {
  const disk = new SlowDisk(50);
  const stage = new OutboxStage(disk, new Spare());
  disk.clock = stage.world.clock;
  stage.answer = () => json({}, { 'Retry-After': '60' }, 503);
  const tab = stage.open();
  for (let id = 1; id <= 12; id += 1) {
    const body = { kind: 'bytes', bytes: new ArrayBuffer(10_000) } as const;
    void tab.queue(id, '', { body, template: `/photos/${id}` });
    for (let look = 0; look < 40 && !tab.queued.includes(id); look += 1) {
      await rounds(3);
      await stage.world.clock.advance(100);
    }
  }
  expect(tab.queued).toHaveLength(12);
  const next = new SlowDisk(50);
  next.clock = disk.clock;
  stage.indexedDB = next;
  stage.restart();
  stage.answer = () => null;
  stage.open().meet();
  for (let look = 0; look < 80; look += 1) {
    await rounds(3);
    await stage.world.clock.advance(100);
  }
  await goOn(stage, 70);
  expect(stage.performed).toHaveLength(12);
});

test('an edit while what waits is copied for the first time is copied as well', async () => {
  const databases = new IDBFactory();
  const before = new OutboxStage(databases);
  before.answer = () => json({}, { 'Retry-After': '60' }, 503);
  const wish = { template: '/photos/{id}', params: [['id', 'old']] } as const;
  await before.open().queue(1, 'Dusk', wish);
  await goOn(before, 1);
  const spare = new Spare();
  let asked = 0;
  const said = new Deferred();
  const isThere = async (): Promise<boolean> => {
    asked += 1;
    if (asked > 1) await said.promise;
    return spare.isThere();
  };
  const stage = new OutboxStage(databases, { isThere, open: spare.open });
  stage.answer = before.answer;
  const tab = stage.open();
  tab.meet();
  await rounds();
  expect(asked).toBeGreaterThan(1);
  const decision = { ...EDIT, params: [['id', 'new']] } as const;
  const deciding = tab.remote.control({ kind: 'decide', entry: 'entry-1', decision });
  await rounds();
  said.resolve();
  await deciding;
  await rounds();
  await goOn(stage, 5);
  stage.loseDatabases();
  await sentBy(stage, 90);
  expect(askedOf(stage)).toEqual(['POST /photos/new']);
});

test('databases that are deleted while the app is open: a new write does not overtake what comes back', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  const tab = await waitingFor(stage, ['Dusk', 'Dawn']);
  await goOn(stage, 1);
  await deleteAll(stage.indexedDB);
  stage.answer = () => null;
  await tab.queue(3, 'Noon');
  await goOn(stage, 60);
  expect([stage.performed, await tab.list()]).toEqual([['Dusk', 'Dawn', 'Noon'], []]);
});

test('a refusal comes back with its answer and the version that it names', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  const tab = stage.open();
  stage.answer = () => json({ text: 'theirs' }, { ETag: '"2"' }, 412);
  await tab.queue(1, 'Dusk', { method: 'PUT', template: '/photo/7', headers: [['If-Match', '"1"']] });
  await tab.heard('entry-1 conflict');
  await goOn(stage, 1);
  const [before] = await tab.list();
  stage.loseDatabases();
  const next = stage.open();
  next.meet();
  await goOn(stage, 1);
  expect([await next.list(), next.waiting]).toEqual([[before], 1]);
  stage.answer = () => null;
  await next.remote.control({ kind: 'decide', entry: 'entry-1', decision: EDIT });
  await goOn(stage, 5);
  expect(stage.world.requests[0]?.headers.get('If-Match')).toBe('"2"');
});

test('what was never sent says which version it changes once its URL has a name', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  const tab = stage.open();
  stage.answer = () => unreachable();
  await tab.queue(9, 'holds', { method: 'PUT' }, { lane: 'b' });
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER, { lane: 'b' });
  await goOn(stage, 1);
  stage.loseDatabases();
  stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : unreachable());
  const next = stage.open();
  next.meet();
  await goOn(stage, 12);
  stage.answer = () => json({ id: 7 }, { ETag: '"v1"', 'Cache-Control': 'no-cache' });
  await next.submitAll([submission(50, { template: '/photo/{id}', params: [['id', TEMPORARY]] })]);
  await goOn(stage, 120);
  const last = stage.world.requests.at(-1);
  expect([next.settled, last?.url, last?.headers.get('If-Match')]).toEqual([
    [50],
    'https://page.example/photo/7',
    '"v1"',
  ]);
});

test('a copy of which the body is damaged is not lost unseen', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk', 'Dawn']);
  await goOn(stage, 1);
  const found = (await spare.factory.databases()).find(({ name }) => name?.includes('outbox'));
  const database = await resultOf(spare.factory.open(String(found?.name)));
  const store = database.transaction('copiedBodies', 'readwrite').objectStore('copiedBodies');
  await resultOf(store.put({ entry: 'entry-1', body: 'rotten' }));
  database.close();
  stage.loseDatabases();
  const tab = stage.open();
  tab.meet();
  await goOn(stage, 5);
  const listed = (await tab.list()).map(({ entry }) => entry);
  expect([listed, await spare.text()]).toEqual([['entry-1', 'entry-2'], expect.stringContaining('key-1')]);
});

test('what was named right before the sign-out is known to the writes that use it', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  const tab = stage.open();
  await tab.sign('ada');
  stage.answer = () => unreachable();
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER, { lane: 'b' });
  stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : json({}, { 'Retry-After': '2' }, 503));
  const retry = { kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } } as const;
  await tab.remote.control({ ...retry, ...(tab.epoch !== undefined && { epoch: tab.epoch }) });
  await tab.heard('entry-1 done');
  await tab.sign(null);
  await goOn(stage, 1);
  await stage.open().sign('ada');
  await goOn(stage, 1);
  stage.loseDatabases();
  stage.answer = () => null;
  await stage.open().sign('ada');
  await goOn(stage, 200);
  expect(askedOf(stage)).toContain('PUT /photo/7');
});

test('what is queued while the copy is late does not overtake what comes back later', async () => {
  const { spare, stage, tab } = await openedWithoutCopies();
  void tab.queue(3, 'Noon');
  await goOn(stage, 20);
  expect(tab.queued).toEqual([3]);
  spare.isBroken = false;
  stage.restart();
  expect(await sentBy(stage, 120)).toEqual(['Dusk', 'Dawn', 'Noon']);
});
