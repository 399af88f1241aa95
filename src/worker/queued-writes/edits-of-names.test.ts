import { describe, expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json, unreachable } from '../platform/system.fixture.ts';
import {
  askedOf,
  CREATES,
  CREATES_OTHER,
  decide,
  FORM,
  made,
  OTHER,
  TEMPORARY,
  USER,
} from './named-writes.fixture.ts';
import { bodyOf, EDIT, OutboxStage, waitFor } from './outbox-stage.fixture.ts';

describe('a write that names nothing any more since its params were edited', () => {
  const NAMED = { ...EDIT, params: [['id', '7']] } as const;

  test('does not wait for what it named', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.method === 'POST' ? json({}, {}, 422) : json({}));
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.queue(2, 'Dawn', USER, { lane: 'b' });
    await tab.heard('entry-1 review');
    await decide(tab, 'entry-2', NAMED);
    await tab.heard('entry-2 done');
    expect(askedOf(stage)).toEqual(['POST /photos', 'PUT /photo/7']);
  });

  test('is sent though what it named is discarded', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.queue(2, 'Dawn', USER);
    await stage.failed(tab, 1);
    await decide(tab, 'entry-2', NAMED);
    stage.answer = () => json({});
    await decide(tab, 'entry-1', { kind: 'discard' });
    await tab.heard('entry-2 done');
    expect(tab.told).not.toContain('entry-2 review');
  });

  test('waits still for what its body names', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    await tab.queue(1, 'Dusk', {}, CREATES);
    const text = `album=${TEMPORARY}`;
    await tab.queue(2, '', { ...USER, ...FORM, body: { kind: 'text', text } }, { lane: 'b' });
    await stage.failed(tab, 1);
    await decide(tab, 'entry-2', NAMED);
    stage.answer = ({ init }) => (init.method === 'POST' ? made(9) : json({}));
    await waitFor(stage, 60_000);
    await tab.heard('entry-2 done');
    expect([askedOf(stage).at(-1), bodyOf(stage.world.requests.at(-1))]).toEqual(['PUT /photo/7', 'album=9']);
  });
});

describe('an edit that names what was queued later', () => {
  const JSON_TYPE: Wish = { headers: [['Content-Type', 'application/json']] };

  test('is sent once that is there, in the same lane, too', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = (seen) => (bodyOf(seen).includes('null') ? json({}, {}, 422) : made(7));
    const child = { ...JSON_TYPE, body: { kind: 'text', text: '{"parent":null}' } } as const;
    await tab.queue(1, '', child, CREATES_OTHER);
    await tab.heard('entry-1 review');
    stage.answer = unreachable;
    await tab.queue(2, 'parent', {}, CREATES);
    await stage.world.clock.advance(100);
    await decide(tab, 'entry-1', { ...EDIT, body: { kind: 'text', text: `{"parent":"${TEMPORARY}"}` } });
    stage.answer = () => made(7);
    await waitFor(stage, 60_000);
    await tab.heard('entry-1 done');
    expect([bodyOf(stage.world.requests.at(-1)), await tab.list()]).toEqual(['{"parent":7}', []]);
  });

  test('does not hold its lane', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.method === 'POST' ? json({}, {}, 422) : json({}));
    await tab.queue(1, 'first', {}, { lane: 'a' });
    await tab.heard('entry-1 review');
    await tab.queue(2, 'maker', {}, { ...CREATES, lane: 'b' });
    await tab.heard('entry-2 review');
    await decide(tab, 'entry-1', { ...EDIT, params: [['id', TEMPORARY]] });
    await tab.queue(3, 'free', { method: 'PUT', template: '/free' }, { lane: 'a' });
    await tab.heard('entry-3 done');
    expect(askedOf(stage).at(-1)).toBe('PUT /free');
  });

  test('and so makes a circle: both are told to be in review', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 422);
    await tab.queue(1, 'one', {}, { ...CREATES, lane: 'a' });
    await tab.heard('entry-1 review');
    await tab.queue(2, 'two', USER, { ...CREATES_OTHER, lane: 'b' });
    await decide(tab, 'entry-1', { ...EDIT, params: [['id', OTHER]] });
    await tab.heard('entry-2 review');
    stage.answer = () => json({});
    await tab.queue(3, 'three', {}, { lane: 'a' });
    await tab.heard('entry-3 done');
    expect((await tab.list()).map(({ state, failure }) => [state, failure?.message])).toEqual([
      ['review', 'It names what waits for it'],
      ['review', 'It names what waits for it'],
    ]);
  });
});
