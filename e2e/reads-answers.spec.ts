import { expect, test } from './test.ts';

test.describe('an answer', () => {
  test('is null where it is empty, a value of JSON, a string of text and XML', async ({ page }) => {
    const rows: readonly (readonly [path: string, response: unknown])[] = [
      ['/empty', null],
      ['/answer?body=', null],
      ['/answer?status=201&body=[1,%22a%22,null]', [1, 'a', null]],
      ['/answer?body=null', null],
      ['/answer?type=application/vnd.api%2Bjson&body={%22a%22:{%22b%22:1}}', { a: { b: 1 } }],
      ['/answer?type=text/json;charset=utf-8&body=1', 1],
      ['/text', 'plain text, ü'],
      ['/untyped', 'no type'],
      ['/answer?type=application/xml&body=<a/>', '<a/>'],
      ['/answer?type=image/svg%2Bxml&body=<svg/>', '<svg/>'],
      ['/answer?type=TEXT/CSV&body=a,b', 'a,b'],
    ];
    const outcome = await page.evaluate(
      async (paths) => {
        const photo = new window.offstage.Resource();
        const heard = window.witness.record(photo, 'success');
        const ids = paths.map((path) => {
          photo.map('get', 'GET', path);
          return photo.invoke('get');
        });
        const responses = await Promise.all(ids.map((id) => photo.result(id)));
        photo.map('head', 'HEAD', '/text');
        return { responses, head: await photo.result(photo.invoke('head')), ids, heard };
      },
      rows.map(([path]) =>
        path.replaceAll(/[<>]/g, encodeURIComponent).replaceAll(/[{}[\]]/g, encodeURIComponent),
      ),
    );
    expect(outcome.responses).toEqual(rows.map(([, response]) => response));
    expect(outcome.head).toBeNull();
    const statuses = outcome.ids.map((id) => outcome.heard.find((event) => event.id === id)?.status);
    expect(statuses.slice(0, 3)).toEqual([204, 200, 201]);
  });

  test('is HTML where that is asked for, and a failure where JSON is preferred', async ({ page }) => {
    const outcome = await page.evaluate(async () => {
      const { Resource } = window.offstage;
      const pages = new Resource({
        read: { method: 'GET', url: '/html', response: Resource.text },
        get: { method: 'GET', url: '/html' },
        send: { method: 'POST', url: '/html' },
      });
      return {
        read: await pages.result(pages.read()),
        get: await window.witness.ending(pages.result(pages.get())),
        send: await window.witness.ending(pages.result(pages.send())),
      };
    });
    expect(outcome.read).toBe('<!doctype html><p>Sign in</p>');
    expect([outcome.get, outcome.send]).toMatchObject([{ code: 'parse' }, { code: 'parse' }]);
  });

  test('is a Blob of anything else, of its type, from the network and from the cache', async ({
    page,
    server,
  }) => {
    const read = (): Promise<unknown> =>
      page.evaluate(async () => {
        const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/binary' } });
        const heard = window.witness.record(photo, 'success');
        const blob = await photo.result(photo.get());
        if (!(blob instanceof Blob)) return blob;
        const bytes = new Uint8Array(await blob.arrayBuffer());
        const inOrder = bytes.every((byte, index) => byte === index);
        return { type: blob.type, size: blob.size, inOrder, servedFrom: heard[0]?.servedFrom };
      });
    const blob = { type: 'application/octet-stream', size: 256, inOrder: true };
    expect(await read()).toEqual({ ...blob, servedFrom: 'network' });
    await server.down();
    expect(await read()).toEqual({ ...blob, servedFrom: 'cache' });
  });
});
