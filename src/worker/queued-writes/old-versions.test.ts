import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import type { Seen } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { decide } from './named-writes.fixture.ts';
import { bodyOf, EDIT, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';

const PUT = { method: 'PUT', template: '/photo/7' };

/** A server with one photo, which others change, too. */
class Photo {
  version = 4;
  /** What its version was made of. */
  readonly history: string[] = ['v4'];
  refuses: string | null = null;

  readonly answer = (seen: Seen): Response => {
    const ETag = `"${this.version}"`;
    if (seen.init.method === 'GET')
      return json({ version: this.version }, { ETag, 'Cache-Control': 'no-cache' });
    if (bodyOf(seen) === this.refuses) return json({ why: 'no' }, {}, 422);
    const condition = seen.headers.get('If-Match');
    if (condition !== null && condition !== ETag) return json({ version: this.version }, { ETag }, 412);
    this.change(bodyOf(seen));
    return json({}, { ETag: `"${this.version}"` });
  };

  change(how: string): void {
    this.version += 1;
    this.history.push(how);
  }
}

async function read(tab: OutboxTab, id: number): Promise<void> {
  tab.meet();
  await tab.call(id, { template: '/photo/7', policy: { revalidate: true } });
}

test('a write that was refused, and is tried again, does not undo what somebody else has changed since', async () => {
  const [stage, photo] = [new OutboxStage(), new Photo()];
  stage.answer = photo.answer;
  const tab = stage.open();
  await read(tab, 50);
  // Of version 4, and refused for the moment.
  photo.refuses = 'mine, of version 4';
  await tab.queue(1, 'mine, of version 4', PUT);
  await tab.heard('entry-1 review');
  photo.change('of Bob');
  await read(tab, 51);
  await tab.queue(2, 'mine, of version 5', PUT);
  await tab.heard('entry-2 done');
  photo.refuses = null;
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
  await until(() => tab.told.length > 2);
  await rounds();
  expect([photo.history, tab.told.at(-1)]).toEqual([
    ['v4', 'of Bob', 'mine, of version 5'],
    'entry-1 conflict',
  ]);
});

test('nor does one that was in conflict, as it is tried again after a write of another lane', async () => {
  const [stage, photo] = [new OutboxStage(), new Photo()];
  stage.answer = photo.answer;
  const tab = stage.open();
  await read(tab, 50);
  photo.change('of Bob');
  await tab.queue(1, 'mine, of version 4', PUT);
  await tab.heard('entry-1 conflict');
  await read(tab, 51);
  await tab.queue(2, 'mine, of version 5', PUT, { lane: 'b' });
  await tab.heard('entry-2 done');
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
  await until(() => tab.told.length > 2);
  await rounds();
  expect([photo.history, tab.told.at(-1)]).toEqual([
    ['v4', 'of Bob', 'mine, of version 5'],
    'entry-1 conflict',
  ]);
});

test('nor does one that waits in another lane, without anybody deciding anything', async () => {
  const [stage, photo] = [new OutboxStage(), new Photo()];
  let isBusy = true;
  stage.answer = (seen) =>
    isBusy && bodyOf(seen) === 'mine, of version 4' ? json({}, {}, 503) : photo.answer(seen);
  const tab = stage.open();
  await read(tab, 50);
  await tab.queue(1, 'mine, of version 4', PUT);
  await stage.failed(tab, 1);
  photo.change('of Bob');
  await read(tab, 51);
  await tab.queue(2, 'mine, of version 5', PUT, { lane: 'b' });
  await tab.heard('entry-2 done');
  isBusy = false;
  await stage.world.clock.advance(60_000);
  await until(() => tab.told.length > 1);
  expect([photo.history, tab.told.at(-1)]).toEqual([
    ['v4', 'of Bob', 'mine, of version 5'],
    'entry-1 conflict',
  ]);
});

test('nor does one of another lane, as an earlier one that was in conflict is merged with that', async () => {
  const [stage, photo] = [new OutboxStage(), new Photo()];
  let isBusy = true;
  stage.answer = (seen) =>
    isBusy && bodyOf(seen) === 'other, of version 4' ? json({}, {}, 503) : photo.answer(seen);
  const tab = stage.open();
  await read(tab, 50);
  photo.change('of Bob');
  await tab.queue(1, 'mine, of version 4', PUT);
  await tab.queue(2, 'other, of version 4', PUT, { lane: 'b' });
  await tab.heard('entry-1 conflict');
  await decide(tab, 'entry-1', { ...EDIT, body: { kind: 'text', text: 'merged with 5' } });
  await tab.heard('entry-1 done');
  isBusy = false;
  await stage.world.clock.advance(60_000);
  await until(() => tab.told.length > 2);
  expect([photo.history, tab.told.at(-1)]).toEqual([['v4', 'of Bob', 'merged with 5'], 'entry-2 conflict']);
});

test('nor does one of another lane, after a change of our own that knew no version', async () => {
  const [stage, photo] = [new OutboxStage(), new Photo()];
  const blind = new Deferred();
  let isBusy = true;
  stage.answer = async (seen) => {
    if (bodyOf(seen) === 'blind') await blind.promise;
    return isBusy && bodyOf(seen) === 'mine, of version 5' ? json({}, {}, 503) : photo.answer(seen);
  };
  const tab = stage.open();
  await tab.queue(1, 'blind', { ...PUT, method: 'PATCH' });
  await until(() => stage.world.requests.length === 1);
  await read(tab, 50);
  await tab.queue(2, 'mine, of version 4', PUT, { lane: 'b' });
  await tab.heard('entry-2 done');
  await tab.queue(3, 'mine, of version 5', PUT, { lane: 'c' });
  await rounds();
  photo.change('of Bob');
  blind.resolve();
  await tab.heard('entry-1 done');
  isBusy = false;
  await stage.world.clock.advance(60_000);
  await until(() => tab.told.length > 2);
  expect([photo.history, tab.told.at(-1)]).toEqual([
    ['v4', 'mine, of version 4', 'of Bob', 'blind'],
    'entry-3 conflict',
  ]);
});
