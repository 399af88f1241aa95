import { describe, expect, test } from 'vitest';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { bodyOf, EDIT, OutboxStage, rounds } from './outbox-stage.fixture.ts';

test('a write whose attempt is out and which is discarded is not overtaken by the next of its lane', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  const arrived = new Deferred();
  const order: string[] = [];
  stage.answer = async (seen) => {
    if (bodyOf(seen) === 'old') await arrived.promise;
    order.push(bodyOf(seen));
    return json({});
  };
  const wish = { method: 'PUT', template: '/photo/7' };
  await tab.queue(1, 'old', wish);
  await until(() => stage.world.requests.length === 1);
  await tab.queue(2, 'new', wish);
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } });
  for (let n = 0; n < 20; n += 1) await settle();
  // Its server has it only now: it was on its way.
  arrived.resolve();
  await tab.heard('entry-2 done');
  for (let n = 0; n < 5; n += 1) await settle();
  expect(order.at(-1)).toBe('new');
});

test('a write that was discarded is not queued again by its page, which has not heard that it was', async () => {
  const stage = new OutboxStage();
  const [one, other] = [stage.open(), stage.open()];
  await other.greet();
  stage.answer = () => json({}, {}, 503);
  await one.queue(1, 'Dusk');
  await other.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } });
  expect(await other.list()).toEqual([]);
  stage.restart();
  stage.answer = () => null;
  // The worker has died before page one was told, so that it hands the call to the next.
  const next = stage.open();
  await next.queue(1, 'Dusk');
  await stage.world.clock.advance(60_000);
  expect(stage.performed).toEqual([]);
});

test('a clock that is set back by a day delays no write by more than the rule says', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  stage.answer = () => null;
  stage.world.clock.set(-86_400_000);
  await stage.world.clock.advance(600_000);
  expect(stage.performed).toEqual(['Dusk']);
});

test('the network that is back does not undercut Retry-After', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, { 'Retry-After': '3600' }, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  await tab.remote.control({ kind: 'online' });
  for (let n = 0; n < 20; n += 1) await settle();
  expect(stage.world.requests).toHaveLength(1);
});

test('what is done is told for five minutes, not to a page that is opened a day later', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 done');
  await stage.world.clock.advance(86_400_000);
  await tab.queue(2, 'Dawn');
  await tab.heard('entry-2 done');
  for (let n = 0; n < 10; n += 1) await settle();
  stage.restart();
  // A page that was open before, and hears what the dead worker may not have told it.
  const next = stage.open();
  next.wish = { number: 2 };
  await next.greet();
  await next.heard('entry-2 done');
  expect(next.told).toEqual(['entry-2 done']);
});

describe('a decision that comes while a worker that has just started reads what waits', () => {
  test.each([
    ['retry', { kind: 'retry' }],
    [
      'edit',
      { kind: 'edit', key: 'key-9', params: null, body: { kind: 'text', text: 'Dusk' }, contentType: null },
    ],
  ] as const)('is carried out: %s', async (_name, decision) => {
    const lost: number[] = [];
    for (let turns = 0; turns < 60; turns += 1) {
      const stage = new OutboxStage();
      const tab = stage.open();
      stage.answer = () => json({}, {}, 422);
      await tab.queue(1, 'Dusk');
      await tab.heard('entry-1 review');
      stage.restart();
      stage.answer = () => null;
      const next = stage.open();
      next.meet();
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const reply = await next.remote.control({ kind: 'decide', entry: 'entry-1', decision });
      expect(reply).toEqual({ kind: 'decided', as: 'decided' });
      await rounds(5);
      if (stage.performed.length !== 1) lost.push(turns);
    }
    expect(lost).toEqual([]);
  });

  test('is carried out under the new key, where the write waits', async () => {
    const wrong: unknown[] = [];
    for (let turns = 0; turns < 40; turns += 1) {
      const stage = new OutboxStage();
      const tab = stage.open();
      stage.answer = () => json({}, { 'Retry-After': '20' }, 503);
      await tab.queue(1, 'head');
      await tab.queue(2, 'draft');
      await stage.failed(tab, 1);
      stage.restart();
      stage.answer = () => null;
      const next = stage.open();
      next.meet();
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const body = { kind: 'text', text: 'final' } as const;
      const edit = { kind: 'edit', key: 'key-9', params: null, body, contentType: null } as const;
      const reply = await next.remote.control({ kind: 'decide', entry: 'entry-2', decision: edit });
      expect(reply).toEqual({ kind: 'decided', as: 'decided' });
      await stage.world.clock.advance(30_000);
      await until(() => stage.performed.length === 2);
      const last = stage.world.requests.at(-1);
      const sent = `${bodyOf(last)} ${String(last?.headers.get('Idempotency-Key'))}`;
      if (sent !== 'final "key-9"') wrong.push([turns, sent]);
    }
    expect(wrong).toEqual([]);
  });
});

test('a refused write that is tried again waits for the one of its lane which is out', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let out = 0;
  let most = 0;
  let isFixed = false;
  const free = new Deferred();
  stage.answer = async (seen) => {
    out += 1;
    most = Math.max(most, out);
    if (bodyOf(seen) === 'second') await free.promise;
    const response = seen.init.body === 'first' && !isFixed ? json({}, {}, 422) : stage.perform(seen);
    out -= 1;
    return response;
  };
  await tab.queue(1, 'first');
  await tab.heard('entry-1 review');
  await tab.queue(2, 'second');
  await until(() => out === 1);
  isFixed = true;
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
  await rounds();
  free.resolve();
  await tab.heard('entry-1 done');
  await tab.heard('entry-2 done');
  expect(most).toBe(1);
});

test('two tabs replace a conflict, as the guide shows, while another lane works: it has one effect', async () => {
  const wrong: unknown[] = [];
  for (let run = 0; run < 240; run += 1) {
    const [k, j] = [run % 20, Math.floor(run / 20)];
    const stage = new OutboxStage();
    const [one, other] = [stage.open(), stage.open()];
    await other.greet();
    stage.answer = ({ init }) => (init.body === 'mine' ? json({}, { ETag: '"b"' }, 412) : null);
    await one.queue(1, 'mine');
    await other.heard('entry-1 conflict');
    // Another tab saves something else at the same time.
    for (let id = 10; id < 20; id += 1) void one.queue(id, `else ${id}`, {}, { lane: `lane ${id}` });
    for (let turn = 0; turn < k; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const body = { kind: 'text', text: 'merged' } as const;
    const edit = (key: string) => ({ kind: 'edit', key, params: null, body, contentType: null }) as const;
    const first = one.remote.control({ kind: 'decide', entry: 'entry-1', decision: edit('key-of-one') });
    for (let turn = 0; turn < j; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await other.remote.control({ kind: 'decide', entry: 'entry-1', decision: edit('key-of-other') });
    await first;
    // So many ends at once are told a frame at a time.
    for (let frame = 0; frame < 100 && !one.told.includes('entry-1 done'); frame += 1)
      await stage.world.clock.advance(16);
    await one.heard('entry-1 done');
    await rounds(5);
    if (stage.performed.filter((each) => each === 'merged').length !== 1) wrong.push([k, j]);
  }
  expect(wrong).toEqual([]);
});

test('a discard of what is done says that it is too late', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 done');
  const reply = await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } });
  expect(reply).not.toEqual({ kind: 'decided', as: 'decided' });
});

test('a discard of a conflict does not throw away what another tab has made of it since', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  const discard = async (more: { version?: number }): Promise<unknown> =>
    tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'discard', ...more } });
  stage.answer = () => json({ title: 'theirs' }, { ETag: '"b"' }, 412);
  await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  await tab.heard('entry-1 conflict');
  const { version = -1 } = tab.writes.at(-1) ?? {};
  stage.answer = unreachable;
  const merged = { ...EDIT, body: { kind: 'text', text: 'merged' }, version } as const;
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: merged });
  expect(await discard({ version })).toEqual({ kind: 'decided', as: 'changed' });
  expect((await tab.list()).map(({ key, version: now }) => [key, now])).toEqual([[merged.key, version + 1]]);
  expect(await discard({ version: version + 1 })).toEqual({ kind: 'decided', as: 'decided' });
  // The answer may have been lost with its worker: the page says it to the next.
  expect(await discard({ version: version + 1 })).toEqual({ kind: 'decided', as: 'decided' });
  expect(await tab.list()).toEqual([]);
});
