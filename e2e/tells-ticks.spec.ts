import type { Ending } from './page/witness.ts';
import { expect, test } from './test.ts';

test.describe('a poll', () => {
  test('tells of every tick under an id of its own, and that a 304 changed nothing', async ({
    page,
    server,
  }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/etag' } });
      const heard = window.witness.record(photo, 'getStarted', 'getSuccess', 'success', 'error');
      return { photo, heard, loop: photo.poll('get', {}, { interval: 100 }) };
    });
    const successes = (): Promise<number> =>
      poll.evaluate(({ heard }) => heard.filter(({ type }) => type === 'success').length);
    await expect.poll(successes).toBeGreaterThan(2);
    server.versions.set('/etag', 2);
    await expect
      .poll(() => poll.evaluate(({ heard }) => heard.filter(({ changed }) => changed).length))
      .toBe(4);
    const outcome = await poll.evaluate(async ({ photo, heard, loop }) => {
      loop.stop();
      const last = heard.findLast(({ type }) => type === 'success');
      return { heard, kept: await photo.result(last?.id ?? 0), last: last?.response };
    });
    const { heard } = outcome;
    const answers = heard.filter(({ type }) => type === 'success');
    expect(answers.slice(0, 3)).toMatchObject([
      { changed: true, response: { version: 1 }, status: 200, stale: false },
      { changed: false, response: { version: 1 }, status: 200, stale: false },
      { changed: false, response: { version: 1 }, status: 200, stale: false },
    ]);
    expect(answers.filter(({ changed }) => changed).map(({ response }) => response)).toEqual([
      { version: 1 },
      { version: 2 },
    ]);
    expect(heard.slice(0, 6).map(({ type }) => type)).toEqual([
      'getStarted',
      'getSuccess',
      'success',
      'getStarted',
      'getSuccess',
      'success',
    ]);
    const ids = heard.map(({ id }) => id);
    expect([ids[0], ids[0], ids[3], ids[3]]).toEqual([ids[1], ids[2], ids[4], ids[5]]);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
    expect(outcome.kept).toEqual(outcome.last);
  });

  test('tells of changes alone where that is wanted, and no message comes of the rest', async ({
    page,
    server,
  }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/etag' } });
      const heard: unknown[] = [];
      const messages: unknown[] = [];
      window.witness.overhear((data) => messages.push(data));
      photo.addListener('getSuccess', ({ response }) => heard.push(response));
      photo.addListener('getError', ({ error }) => heard.push(error?.code));
      photo.poll('get', {}, { interval: 100, notify: 'change' });
      return { photo, heard, messages };
    });
    const heard = (): Promise<unknown[]> => poll.evaluate((each) => each.heard);
    const asked = (): number => server.journal.of('/etag').length;
    const [first, second] = [{ version: 1 }, { version: 2 }];
    await expect.poll(heard).toEqual([first]);
    const before = await poll.evaluate(({ messages }) => messages.length);
    const ticks = asked() + 5;
    await expect.poll(asked).toBeGreaterThan(ticks);
    expect(await poll.evaluate(({ messages }) => messages.length)).toBe(before);
    server.versions.set('/etag', 2);
    await expect.poll(heard).toEqual([first, second]);
    const model = await poll.evaluate(async ({ photo }) => {
      const store = new window.offstage.RestStore(photo, 'get');
      await new Promise((resolve) => store.addEventListener('changeModel', resolve, { once: true }));
      return store.model;
    });
    expect(model, 'a store that comes later has the next answer').toEqual(second);
  });

  test('has a result for a tick that is under way, also where it is stopped', async ({ page, server }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/hold?key=a' } });
      const results: Promise<Ending>[] = [];
      photo.addListener('started', ({ id }) => results.push(window.witness.ending(photo.result(id))));
      return { results, loop: photo.poll('get', {}, { interval: 100 }) };
    });
    await expect.poll(() => server.journal.open('/hold').length).toBe(1);
    server.release('a', '"first"');
    await expect.poll(() => poll.evaluate(({ results }) => results.length)).toBe(2);
    await expect.poll(() => server.journal.open('/hold').length).toBe(1);
    await poll.evaluate(({ loop }) => loop.restart());
    await expect.poll(() => poll.evaluate(({ results }) => results.length)).toBe(3);
    const endings = await poll.evaluate(({ results, loop }) => {
      loop.stop();
      return Promise.all(results);
    });
    expect(endings).toMatchObject([{ response: 'first' }, { code: 'aborted' }, { code: 'aborted' }]);
  });

  test('tells every failure of a server that answers', async ({ page, server }) => {
    server.on('GET /photo/1', ({ response }) => void response.writeHead(503).end('busy'));
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
      const heard = window.witness.record(photo, 'success', 'error');
      photo.poll('get', {}, { interval: 100 });
      return { heard };
    });
    await expect.poll(() => poll.evaluate(({ heard }) => heard.length)).toBeGreaterThan(2);
    const heard = await poll.evaluate((each) => each.heard);
    expect(heard).toMatchObject(heard.map(() => ({ type: 'error', code: 'http', status: 503 })));
  });
});
