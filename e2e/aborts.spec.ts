import { expect, test } from './test.ts';

test.describe('abort', () => {
  test('ends one invocation by its id, or all of an action, here and at the server', async ({
    page,
    server,
  }) => {
    const calls = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/hold?key={id}' },
        list: { method: 'GET', url: '/hold?key=list' },
      });
      const heard = window.witness.record(photo, 'getError', 'error', 'getSuccess', 'listSuccess');
      const ids = [1, 2, 3].map((id) => photo.get({ id }));
      const list = photo.list();
      const endings = ids.map((id) => window.witness.ending(photo.result(id)));
      return { photo, heard, ids, list, endings };
    });
    await expect.poll(() => server.journal.open('/hold').length).toBe(4);
    await calls.evaluate(({ photo, ids }) => photo.abort(ids[0] ?? 0));
    await expect.poll(() => server.journal.open('/hold').length).toBe(3);
    expect(server.journal.of('/hold').find(({ url }) => url.endsWith('=1'))).toMatchObject({ state: 'cut' });

    await calls.evaluate(({ photo }) => photo.abort('get'));
    await expect.poll(() => server.journal.open('/hold')).toMatchObject([{ url: '/hold?key=list' }]);
    server.release('list', '[]');
    const { heard, ids, endings, list, cause } = await calls.evaluate(async ({ photo, ...rest }) => {
      const answer = await photo.result(rest.list);
      photo.abort(rest.list);
      photo.abort(rest.ids[0] ?? 0);
      photo.abort(123_456);
      photo.abort('get');
      const error: unknown = await photo.result(rest.ids[0] ?? 0).catch((each: unknown) => each);
      const why = error instanceof Error ? error.cause : null;
      const reason = why instanceof DOMException ? why.name : null;
      return { ...rest, endings: await Promise.all(rest.endings), list: answer, cause: reason };
    });
    expect(endings.map(({ code }) => code)).toEqual(['aborted', 'aborted', 'aborted']);
    const errors = ids.flatMap((id) => ['getError', 'error'].map((type) => ({ type, id })));
    const told = { phase: 'abort', status: 0, code: 'aborted' };
    expect(heard).toMatchObject([...errors.map((each) => ({ ...each, ...told })), { type: 'listSuccess' }]);
    expect([list, cause]).toEqual([[], 'AbortError']);
  });

  test('by a signal has its reason as cause; one aborted before is never sent', async ({ page, server }) => {
    const calls = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/hold?key={id}' } });
      const heard = window.witness.record(photo, 'started', 'error', 'success');
      const controller = new AbortController();
      const reason = new Error('changed my mind');
      const before = photo.get({ id: 'before' }, null, { signal: AbortSignal.abort(reason) });
      const during = photo.get({ id: 'during' }, null, { signal: controller.signal });
      const timed = photo.get({ id: 'timed' }, null, { signal: AbortSignal.timeout(200) });
      const errors = [before, during, timed].map((id) => photo.result(id).catch((error: unknown) => error));
      return { photo, heard, controller, reason, errors, during };
    });
    await expect.poll(() => server.journal.of('/hold').length).toBe(2);
    const outcome = await calls.evaluate(async ({ controller, reason, errors, heard, during, photo }) => {
      controller.abort(reason);
      const ended = await Promise.all(errors);
      const causes = ended.map((error) => (error instanceof Error ? error.cause : null));
      return {
        same: causes.slice(0, 2).map((cause) => cause === reason),
        timed: causes[2] instanceof DOMException ? causes[2].name : null,
        again: await window.witness.ending(photo.result(during)),
        heard,
      };
    });
    expect(outcome).toMatchObject({ same: [true, true], timed: 'TimeoutError', again: { code: 'aborted' } });
    expect(outcome.heard.map(({ type, code }) => code ?? type)).toEqual([
      'aborted',
      'started',
      'started',
      'aborted',
      'aborted',
    ]);
    await expect.poll(() => server.journal.open('/hold')).toEqual([]);
    expect(server.journal.of('/hold').map(({ url }) => url)).not.toContain('/hold?key=before');
  });
});

test.describe('dispose', () => {
  test('ends calls and loops, and every call after it throws', async ({ page, server }) => {
    const disposed = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/hold?key=call' },
        live: { method: 'GET', url: '/hold?key=loop' },
      });
      const heard = window.witness.record(photo, 'success', 'error');
      const ending = window.witness.ending(photo.result(photo.get()));
      const loop = photo.poll('live', {}, { interval: 100 });
      return { photo, heard, ending, loop };
    });
    await expect.poll(() => server.journal.open('/hold').length).toBe(2);
    const outcome = await disposed.evaluate(async ({ photo, heard, ending, loop }) => {
      photo.dispose();
      photo.dispose();
      loop.stop();
      const calls = [
        () => photo.get(),
        () => photo.invoke('get'),
        () => photo.map('put', 'PUT', '/echo'),
        () => photo.poll('live'),
        () => photo.longPoll('live'),
        () => photo.refresh('get'),
        () => photo.abort('get'),
        () => photo.result(1),
        () => photo.setBaseUrl('/echo'),
        () => photo.configureRequest(() => {}),
        () => loop.restart(),
      ];
      const thrown = calls.map((call) => window.witness.thrown(call));
      return { thrown, ending: await ending, heard };
    });
    expect(new Set(outcome.thrown)).toEqual(new Set(['Error: This resource has been disposed']));
    expect(outcome.ending).toMatchObject({ code: 'aborted' });
    expect(outcome.heard).toMatchObject([{ action: 'get', code: 'aborted' }]);
    await expect.poll(() => server.journal.open('/hold')).toEqual([]);
    const state = await page.evaluate(() => window.offstage.connect().inspect());
    expect(state).toMatchObject({ calls: [], loops: [] });
  });
});
