import { describe, expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json, unreachable } from '../platform/system.fixture.ts';
import type { Decision } from '../../shared/outbox.ts';
import { bodyOf, EDIT, OutboxStage, rounds, waitFor } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

function edit(text: string, contentType: string | null): Decision {
  return { ...EDIT, body: { kind: 'text', text }, contentType };
}

function at(id: string): Wish {
  return { template: '/photo/{id}', params: [['id', id]] };
}

describe('editing', () => {
  test('after a lost answer and a 401, which does not say whether it was performed', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    let times = 0;
    stage.answer = (seen) => {
      times += 1;
      if (times === 1) {
        stage.perform(seen);
        return unreachable();
      }
      return times === 2 ? json({}, {}, 401) : null;
    };
    await tab.queue(1, 'Dusk');
    await waitFor(stage, 20_000);
    await tab.heard('entry-1 paused');
    const reply = await tab.remote.control({
      kind: 'decide',
      entry: 'entry-1',
      decision: { ...EDIT, body: { kind: 'text', text: 'Dusk!' } },
    });
    await waitFor(stage, 20_000);
    expect([reply, stage.performed]).toEqual([{ kind: 'decided', as: 'sent' }, ['Dusk']]);
  });

  test('does not undercut Retry-After', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, { 'Retry-After': '600' }, 503);
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    stage.answer = () => null;
    await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: edit('Dusk!', null) });
    await waitFor(stage, 500_000);
    expect(stage.world.requests).toHaveLength(1);
    await waitFor(stage, 200_000);
    expect(stage.performed).toEqual(['Dusk!']);
  });

  test('that has no Content-Type is sent without any', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 422);
    await tab.queue(1, '{}', { headers: [['Content-Type', 'application/json']] });
    await tab.heard('entry-1 review');
    stage.answer = () => null;
    await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: edit('bytes', '') });
    await tab.heard('entry-1 done');
    expect(stage.world.requests.map(({ headers }) => headers.get('Content-Type'))).toEqual([
      'application/json',
      null,
    ]);
  });

  test('of params does not take the ETag of the old URL along', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ id: 7 }, { ETag: '"seven"', 'Cache-Control': 'no-cache' });
    tab.meet();
    await tab.call(50, at('7'));
    stage.answer = () => json({}, {}, 422);
    await tab.queue(1, 'mine', { method: 'PUT', ...at('7') });
    await tab.heard('entry-1 review');
    stage.answer = () => null;
    await tab.remote.control({
      kind: 'decide',
      entry: 'entry-1',
      decision: { ...EDIT, params: [['id', '8']] },
    });
    await tab.heard('entry-1 done');
    const sent = stage.world.requests.at(-1);
    expect([sent?.url, sent?.headers.get('If-Match')]).toEqual(['https://page.example/photo/8', null]);
  });

  test.each([
    ['7', '"seven"'],
    ['8', null],
  ])('of params takes the ETag along that the conflict has named for that URL: %s', async (id, etag) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ title: 'theirs' }, { ETag: '"seven"' }, 412);
    await tab.queue(1, 'mine', { method: 'PUT', ...at('7') });
    await tab.heard('entry-1 conflict');
    stage.answer = () => null;
    const decision = { ...EDIT, params: [['id', id]] } as const;
    await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision });
    await tab.heard('entry-1 done');
    const sent = stage.world.requests.at(-1);
    expect([sent?.url, sent?.headers.get('If-Match')]).toEqual([`https://page.example/photo/${id}`, etag]);
  });

  test('what is done cannot be discarded: no such write waits', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 done');
    const reply = await tab.remote.control({
      kind: 'decide',
      entry: 'entry-1',
      decision: { kind: 'discard' },
    });
    expect(reply).toEqual({ kind: 'decided', as: 'absent' });
  });
});

describe('a write that its server certainly has not performed can be edited', () => {
  test.each<[string, () => Response]>([
    ['answered with 503', () => json({}, {}, 503)],
    ['answered with 429', () => json({}, {}, 429)],
    ['never sent, for want of a network', unreachable],
  ])('%s', async (name, answer) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.world.online = !name.startsWith('never');
    stage.answer = answer;
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    const decision = edit('Dawn', null);
    const reply = await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision });
    expect(reply).toEqual({ kind: 'decided', as: 'decided' });
  });
});

test('an edit larger than a message may be is refused', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, {}, 422);
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 review');
  const control = tab.remote.control({
    kind: 'decide',
    entry: 'entry-1',
    decision: edit('x'.repeat(70_000_000), null),
  });
  await expect(control).rejects.toMatchObject({ failure: { code: 'limit' } });
});

test('an edit with a header that cannot be sent is refused', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, {}, 422);
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 review');
  const control = tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: edit('x', 'a\r\nX: y') });
  await expect(control).rejects.toBeTruthy();
});

test('an edit that fails leaves the write as it was: what is sent then is of one piece', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  let isFixed = false;
  stage.answer = () => (isFixed ? null : json({}, {}, 422));
  await tab.queue(1, 'before');
  await tab.heard('entry-1 review');
  isFixed = true;
  await rounds();
  disk.isLate = true;
  const decision = edit('after', null);
  const editing = tab.remote.control({ kind: 'decide', entry: 'entry-1', decision }).then(
    () => 'decided',
    () => 'failed',
  );
  await stage.world.clock.advance(3_000);
  disk.isLate = false;
  await stage.world.clock.advance(60_000);
  expect(await editing).toBe('failed');
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
  await tab.heard('entry-1 done');
  const last = stage.world.requests.at(-1);
  expect(['before "key-1"', 'after "key-9"']).toContain(
    `${bodyOf(last)} ${String(last?.headers.get('Idempotency-Key'))}`,
  );
});

test('an edit and a retry at the same time, while another lane works, have one effect', async () => {
  const stage = new OutboxStage();
  const [one, other] = [stage.open(), stage.open()];
  await other.greet();
  let isFixed = false;
  stage.answer = ({ init }) => (isFixed || init.body !== 'bad' ? null : json({}, {}, 422));
  await one.queue(1, 'bad');
  await other.heard('entry-1 review');
  isFixed = true;
  await Promise.all([
    one.remote.control({ kind: 'decide', entry: 'entry-1', decision: edit('better', null) }),
    other.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } }),
    one.remote.control({ kind: 'online' }),
  ]);
  await one.heard('entry-1 done');
  await rounds();
  expect(stage.performed).toEqual(['better']);
});
