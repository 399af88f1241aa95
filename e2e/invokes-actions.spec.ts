import type { InputParams } from 'offstage';
import { expect, test } from './test.ts';

test.describe('an invocation', () => {
  test('is a method and invoke alike, and its events carry its id', async ({ page, server }) => {
    const heard = await page.evaluate(async () => {
      const { Resource } = window.offstage;
      const photo = new Resource({ get: { method: 'GET', url: '/photo/{id}/{size=medium}' } });
      const ids: number[] = [];
      photo.addListener('getSuccess', (event) => ids.push(event.getId()));
      const first = photo.get({ id: 1, size: 'large' });
      const second = photo.invoke('get', { id: 1 });
      const answers = [await photo.result(first), await photo.result(second)];
      return { ids, returned: [first, second], answers };
    });
    expect(new Set(heard.ids)).toEqual(new Set(heard.returned));
    expect([new Set(heard.returned).size, heard.ids.length]).toEqual([2, 2]);
    for (const id of heard.returned) expect(Number.isInteger(id) && id > 0).toBe(true);
    expect(heard.answers).toMatchObject([{ url: '/photo/1/large' }, { url: '/photo/1/medium' }]);
    expect(server.journal.entries.length).toBe(2);
  });

  test('asks the URL that its template and parameters make', async ({ page, server }) => {
    const rows: readonly (readonly [template: string, params: InputParams, url: string])[] = [
      ['/photo/{id}/{size=medium}', { id: 1, size: 'large' }, '/photo/1/large'],
      ['/photo/{id}/{size=medium}', { id: 1 }, '/photo/1/medium'],
      ['/photo/{id}/{size=medium}', { id: 0, size: null }, '/photo/0/medium'],
      ['/photo/{id}/{size=medium}', { id: false, size: [] }, '/photo/false/medium'],
      ['/photo/{id}/{size=medium}', { id: 1, size: '' }, '/photo/1/'],
      ['/photo/{id}/{size=medium}', { unknown: 'is ignored' }, '/photo//medium'],
      ['/photo/{id}', { id: new Date(0) }, '/photo/1970-01-01T00%3A00%3A00.000Z'],
      ['/photo/{id}', { id: '%2e%2e' }, '/photo/%252e%252e'],
      ['/photo/{id}', { id: 'a/b?c#d&e=f %+ü😀' }, '/photo/a%2Fb%3Fc%23d%26e%3Df%20%25%2B%C3%BC%F0%9F%98%80'],
      ['/photo/{id}', { id: "!'()*,;:@$" }, '/photo/%21%27%28%29%2A%2C%3B%3A%40%24'],
      ['/photo/{id}', { id: ['a', 'b c', null] }, '/photo/a,b%20c'],
      ['/photo/{name:3}{a:3=xyzzy}', { name: 'ab😀d' }, '/photo/ab%F0%9F%98%80xyz'],
      ['/photo/{+path}', { path: 'a/b!c%20d%' }, '/photo/a/b!c%20d%25'],
      ['/photo{/path*}', { path: ['x', 'y/z'] }, '/photo/x/y%2Fz'],
      ['/photo/a{.type}{;x,y}', { type: 'png', x: 1, y: '' }, '/photo/a.png;x=1;y'],
      ['/photo{?page=1,tags*}', { tags: ['a', 'b'] }, '/photo?page=1&tags=a&tags=b'],
      ['/photo?all{&where*}', { where: { 'a&b': 1, c: 'ü' } }, '/photo?all&a%26b=1&c=%C3%BC'],
      ['/photo{?empty=}', {}, '/photo?empty='],
      ['/photo{?none}{#part}', { part: 'is never sent' }, '/photo'],
      ['/photo/a/../b/{id}', { id: 1 }, '/photo/b/1'],
      ['/photo/{__proto__}/{constructor}', { constructor: 'own' }, '/photo//own'],
    ];
    const answers = await page.evaluate(
      async (calls) => {
        const photo = new window.offstage.Resource();
        const sent = calls.map(([template, params]) => {
          photo.map('get', 'GET', template);
          return photo.result(photo.invoke('get', params));
        });
        return Promise.all(sent);
      },
      rows.map(([template, params]) => [template, params] as const),
    );
    expect(answers).toMatchObject(rows.map(([, , url]) => ({ url })));
    expect(server.journal.entries.length).toBe(rows.length);
  });

  test('goes below the base URL, with one slash between, and below the base of the document', async ({
    page,
  }) => {
    const answers = await page.evaluate(async () => {
      const { Resource } = window.offstage;
      const photo = new Resource({ get: { method: 'GET', url: '/photo/{id}' } }, { baseUrl: '/echo/v1//' });
      const ask = (id: number): Promise<unknown> => photo.result(photo.get({ id }));
      const below = [await ask(1)];
      photo.setBaseUrl(`${location.origin}/echo/v2`);
      below.push(await ask(2));
      photo.setBaseUrl('deep');
      document.head.insertAdjacentHTML('afterbegin', '<base href="/echo/v3/index.html">');
      below.push(await ask(3));
      photo.setBaseUrl('');
      photo.map('get', 'GET', 'relative/{id}');
      below.push(await ask(4));
      return below;
    });
    expect(answers).toMatchObject([
      { url: '/echo/v1/photo/1' },
      { url: '/echo/v2/photo/2' },
      { url: '/echo/v3/deep/photo/3' },
      { url: '/echo/v3/relative/4' },
    ]);
  });

  test('throws where its parameters are no plain object, or cannot stand in a URL', async ({
    page,
    server,
  }) => {
    const refusals = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/{id}' } });
      const heard = window.witness.record(photo, 'started', 'success', 'error');
      const call = (params: unknown): string | null => window.witness.misused(photo, 'get', params);
      const params = [[1], 'text', 7, true, new Date(), new Map(), () => 1].map(call);
      const values = [() => 1, Symbol('s'), { deep: { er: 1 } }, [[1]], new Map(), '\ud800', new Date('x')];
      const inUrl = values.map((id) => call({ id }));
      await photo.result(photo.get({ id: 'last' }));
      return { params, inUrl, heard: heard.map(({ type }) => type) };
    });
    for (const refusal of refusals.params)
      expect(refusal).toContain("TypeError: Parameters of 'get' must be a plain object, got a");
    for (const refusal of refusals.inUrl)
      expect(refusal).toContain("TypeError: Parameter 'id' cannot be put into a URL: it ");
    expect(refusals.heard).toEqual(['started', 'success']);
    expect(server.journal.entries).toMatchObject([{ url: '/photo/last' }]);
  });
});
