import { describe, expect, test } from 'vitest';
import type { EnginePorts } from '../compose.ts';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json, unreachable, until } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { EDIT, OutboxStage, OutboxTab, rounds, waitFor } from './outbox-stage.fixture.ts';

function html(status: number): Response {
  return new Response('<h1>Sign in to the WiFi</h1>', { status, headers: { 'Content-Type': 'text/html' } });
}

/** A worker with ports of its own, in a world of its own. */
function own(differing: Partial<EnginePorts>, serve: Serve): { world: FakeSystem; tab: OutboxTab } {
  const world = new FakeSystem();
  world.serve = serve;
  world.grant();
  const house = houseOf(world, differing);
  return { world, tab: new OutboxTab((source, envelope) => house.receive(source, envelope), 'client own') };
}

describe('what an answer means', () => {
  test('DELETE: the portal answers the second attempt with a 404 page of HTML: it is not done', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    let times = 0;
    stage.answer = () => ((times += 1) === 1 ? unreachable() : times === 2 ? html(404) : null);
    await tab.queue(1, '', { method: 'DELETE', template: '/photo/7', body: { kind: 'none' } });
    await waitFor(stage, 60_000);
    await until(() => tab.told.length > 0);
    expect([tab.told, stage.performed.length]).toEqual([['entry-1 done'], 1]);
  });

  test('DELETE: refused for good with 404, and tried again on request, is refused again and not done', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ why: 'no such photo, or it is not yours' }, {}, 404);
    await tab.queue(1, '', { method: 'DELETE', template: '/photo/7', body: { kind: 'none' } });
    await tab.heard('entry-1 review');
    await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
    await until(() => tab.told.length > 1);
    expect(tab.told).toEqual(['entry-1 review', 'entry-1 review']);
  });

  test('DELETE: 503 (not performed) and then 404 is a refusal, not success', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    let times = 0;
    stage.answer = () => ((times += 1) === 1 ? json({}, {}, 503) : json({}, {}, 404));
    await tab.queue(1, '', { method: 'DELETE', template: '/photo/7', body: { kind: 'none' } });
    await waitFor(stage, 30_000);
    await until(() => tab.told.length > 0);
    expect(tab.told).toEqual(['entry-1 review']);
  });

  test.each([403, 401, 404, 400, 407])('a portal that answers %i with HTML is waited out', async (status) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => html(status);
    await tab.queue(1, 'Dusk');
    await waitFor(stage, 10_000);
    stage.answer = () => null;
    await waitFor(stage, 600_000);
    expect([stage.performed, tab.told]).toEqual([['Dusk'], ['entry-1 done']]);
  });

  test.each([
    [412, 'conflict'],
    [409, 'conflict'],
    [401, 'paused'],
    [403, 'paused'],
    [404, 'review'],
    [422, 'review'],
  ])('a server that answers %i with nothing, as HTML, means it: %s', async (status, end) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    // As PHP does after `exit`.
    stage.answer = () => new Response('', { status, headers: { 'Content-Type': 'text/html' } });
    await tab.queue(1, 'Dusk', { method: 'PUT', template: '/photo/7' });
    await tab.heard(`entry-1 ${end}`);
    expect(stage.performed).toEqual([]);
  });

  test.each([304, 300])('status %i is not done', async (status) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => new Response(null, { status });
    await tab.queue(1, 'Dusk', { method: 'PUT', template: '/photo/7' });
    await until(() => tab.told.length > 0 || stage.world.requests.length > 1).catch(() => {});
    expect(tab.told).not.toContain('entry-1 done');
  });

  test('JSON that is none, in answer to a write that is done: somebody hears of it within a day', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () =>
      new Response('Created', { status: 201, headers: { 'Content-Type': 'application/json' } });
    await tab.queue(1, 'Dusk');
    await tab.queue(2, 'Dawn');
    await waitFor(stage, 120_000);
    // 25 hours later.
    stage.world.clock.set(90_000_000);
    await waitFor(stage, 120_000);
    expect(tab.told).not.toEqual([]);
  });

  test('HTML for ever comes to review as a redirect does', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => html(200);
    await tab.queue(1, 'Dusk');
    await waitFor(stage, 120_000);
    // 25 hours later.
    stage.world.clock.set(90_000_000);
    await waitFor(stage, 120_000);
    expect(tab.told).toEqual(['entry-1 review']);
  });

  test('a portal that refuses for a day does not say that a lost attempt came to nothing: no edit makes a second effect', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = (seen) => {
      if (stage.world.requests.length > 1) return html(403);
      stage.perform(seen);
      return unreachable();
    };
    await tab.queue(1, 'Dusk');
    await waitFor(stage, 120_000);
    // 25 hours later.
    stage.world.clock.set(90_000_000);
    await waitFor(stage, 120_000);
    stage.answer = () => null;
    const reply = await tab.remote.control({
      kind: 'decide',
      entry: 'entry-1',
      decision: { ...EDIT, body: { kind: 'text', text: 'Dusk!' } },
    });
    await waitFor(stage, 5_000);
    expect([tab.told, reply, stage.performed]).toEqual([
      ['entry-1 review'],
      { kind: 'decided', as: 'sent' },
      ['Dusk'],
    ]);
  });

  test('409 while the server is at work on an attempt whose answer was lost is waited out: it is done once', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = (seen) => {
      const attempt = stage.world.requests.length;
      if (attempt === 1) {
        stage.perform(seen);
        return unreachable();
      }
      return attempt === 2 ? json({ why: 'in progress' }, {}, 409) : null;
    };
    await tab.queue(1, 'Dusk');
    await waitFor(stage, 60_000);
    await tab.heard('entry-1 done');
    expect([tab.told, stage.performed]).toEqual([['entry-1 done'], ['Dusk']]);
  });

  test.each([
    [500, 'queued'],
    [401, 'paused'],
    [409, 'conflict'],
    [422, 'review'],
  ])('%i means the same where its answer is larger than allowed: %s', async (status, state) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ trace: 'x'.repeat(5_000) }, {}, status);
    await tab.queue(1, 'Dusk', { policy: { answerSize: 1_000 } });
    await rounds();
    const [entry] = await tab.list();
    expect([entry?.state, entry?.attempts, entry?.failure?.code]).toEqual([state, 1, 'http']);
  });

  test('a portal is waited out, though its page is larger than answers may be', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    const page = `<h1>Sign in to the WiFi</h1>${'<p>'.repeat(2_000)}`;
    stage.answer = () => new Response(page, { headers: { 'Content-Type': 'text/html' } });
    await tab.queue(1, 'Dusk', { policy: { answerSize: 1_000 } });
    await waitFor(stage, 10_000);
    expect(tab.told).toEqual([]);
    stage.answer = () => null;
    await waitFor(stage, 60_000);
    expect([stage.performed, tab.told]).toEqual([['Dusk'], ['entry-1 done']]);
  });

  test('201 whose answer is larger than allowed: done, or at least not editable into a second effect', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    const perform = stage.perform.bind(stage);
    stage.answer = (seen) => {
      perform(seen);
      return json({ long: 'x'.repeat(5_000) }, {}, 201);
    };
    await tab.queue(1, 'Dusk', { policy: { answerSize: 1_000 } });
    await until(() => tab.told.length > 0);
    expect(tab.told).toEqual(['entry-1 done']);
  });

  test('the same, edited: one effect', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    const perform = stage.perform.bind(stage);
    stage.answer = (seen) => {
      perform(seen);
      return json({ long: 'x'.repeat(5_000) }, {}, 201);
    };
    await tab.queue(1, 'Dusk', { policy: { answerSize: 1_000 } });
    await until(() => tab.told.length > 0);
    const reply = await tab.remote.control({
      kind: 'decide',
      entry: 'entry-1',
      decision: { ...EDIT, body: { kind: 'text', text: 'Dusk!' } },
    });
    await waitFor(stage, 5_000);
    expect([reply, stage.performed]).toEqual([{ kind: 'decided', as: 'absent' }, ['Dusk']]);
  });

  test('201 whose answer a function of the worker cannot read is done', async () => {
    const { world, tab } = own(
      {
        functions: () => ({
          broken: () => {
            throw new Error('bad');
          },
        }),
      },
      () => json({ id: 7 }, {}, 201),
    );
    await tab.queue(1, 'Dusk', { policy: { transform: ['broken'] } });
    await until(() => tab.told.length > 0);
    expect([world.requests.length, tab.told]).toEqual([1, ['entry-1 done']]);
  });

  test('functions that cannot be loaded without a network are waited for', async () => {
    let online = false;
    const { world, tab } = own(
      {
        functions: async () => {
          if (!online) throw new TypeError('Failed to fetch dynamically imported module');
          return { same: (value: unknown) => value };
        },
      },
      () => json({ id: 7 }, {}, 201),
    );
    await tab.queue(1, 'Dusk', { policy: { transform: ['same'] } });
    await world.clock.advance(1_000);
    online = true;
    await world.clock.advance(120_000);
    await until(() => tab.told.length > 0);
    expect(tab.told).toEqual(['entry-1 done']);
  });

  test("a worker's hook that fetches a token and fails without a network is waited for", async () => {
    let online = false;
    const { world, tab } = own(
      {
        configureRequest: async (request) => {
          if (!online) throw new TypeError('Failed to fetch');
          request.setRequestHeader('X-Token', 'secret');
        },
      },
      () => json({ id: 7 }, {}, 201),
    );
    world.online = false;
    await tab.queue(1, 'Dusk');
    await world.clock.advance(1_000);
    online = true;
    world.online = true;
    await tab.remote.control({ kind: 'online' });
    await world.clock.advance(120_000);
    await until(() => tab.told.length > 0);
    expect(tab.told).toEqual(['entry-1 done']);
  });

  test('Retry-After is not undercut by the news that there is a network', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, { 'Retry-After': '600' }, 503);
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    await tab.remote.control({ kind: 'online' });
    await waitFor(stage, 5_000);
    expect(stage.world.requests.length).toBe(1);
  });
});
