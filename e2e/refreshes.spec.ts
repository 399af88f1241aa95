import { expect, test } from './test.ts';

test.describe('refresh', () => {
  test('sends the last invocation again, with parameters, headers and body as they were', async ({
    page,
    server,
  }) => {
    const outcome = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        put: { method: 'PUT', url: '/echo/{id}{?tags*}' },
        upload: { method: 'POST', url: '/echo/upload' },
        never: { method: 'GET', url: '/echo' },
        looped: { method: 'GET', url: '/echo/{id}' },
      });
      let count = 0;
      photo.configureRequest((request) => request.setRequestHeader('X-Count', String((count += 1))));
      const params = { id: 1, tags: ['a'] };
      const data = { title: 'before' };
      const first = photo.put(params, data, { headers: { 'X-Call': 'first' } });
      params.id = 2;
      params.tags.push('b');
      data.title = 'after';
      await photo.result(first);
      const second = photo.refresh('put');
      const answer = await photo.result(second ?? 0);
      const third = await photo.result(photo.refresh('put') ?? 0);

      const form = new FormData();
      form.append('file', new File(['contents'], 'a.txt'));
      await photo.result(photo.upload({}, form));
      form.append('more', 'later');
      const uploaded = await photo.result(photo.refresh('upload') ?? 0);

      const tick = await new Promise<number>((resolve) => {
        photo.addListener('loopedSuccess', (event) => resolve(event.id));
        photo.poll('looped', { id: 'of the loop' }, { interval: 60_000 });
      });
      const looped = photo.refresh('looped');
      return {
        ids: [first, second, tick, looped],
        answer,
        third,
        uploaded,
        looped: await photo.result(looped ?? 0),
        never: photo.refresh('never'),
      };
    });
    expect(new Set(outcome.ids).size).toBe(4);
    expect(outcome.never).toBeNull();
    const sent = { url: '/echo/1?tags=a', body: 'title=before' };
    expect(outcome.answer).toMatchObject({ ...sent, headers: { 'x-call': 'first', 'x-count': '2' } });
    expect(outcome.third).toMatchObject({ ...sent, headers: { 'x-call': 'first', 'x-count': '3' } });
    expect(outcome.uploaded).toMatchObject({ body: expect.stringContaining('contents') });
    expect(outcome.uploaded).not.toMatchObject({ body: expect.stringContaining('later') });
    expect(outcome.looped).toMatchObject({ url: '/echo/of%20the%20loop' });
    expect(server.journal.of('/echo/1').length).toBe(3);
  });

  for (const [path, condition, validator] of [
    ['/etag', 'if-none-match', '"1"'],
    ['/last-modified', 'if-modified-since', 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ] as const) {
    test(`asks ${path} with ${condition}: a 304 brings the same answer, unchanged`, async ({
      page,
      server,
    }) => {
      const resource = await page.evaluateHandle((url) => {
        const photo = new window.offstage.Resource({ get: { method: 'GET', url } });
        return { photo, heard: window.witness.record(photo, 'success') };
      }, path);
      await resource.evaluate(({ photo }) => photo.result(photo.get()));
      await resource.evaluate(({ photo }) => photo.result(photo.refresh('get') ?? 0));
      await resource.evaluate(({ photo }) => photo.result(photo.get()));
      server.versions.set(path, 2);
      await resource.evaluate(({ photo }) => photo.result(photo.refresh('get') ?? 0));

      const { heard } = await resource.evaluate((each) => ({ heard: each.heard }));
      const told = { status: 200, servedFrom: 'network', stale: false };
      expect(heard).toMatchObject([
        { ...told, changed: true, response: { version: 1 } },
        { ...told, changed: false, response: { version: 1 } },
        { ...told, changed: false, response: { version: 1 } },
        { ...told, changed: true, response: { version: 2 } },
      ]);
      expect(server.journal.of(path).map(({ headers }) => headers[condition])).toEqual([
        undefined,
        validator,
        undefined,
        validator,
      ]);
    });
  }
});
