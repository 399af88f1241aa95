import { expect, test } from './test.ts';

test.describe('data', () => {
  test('is a form unless a header says JSON; strings go as they are', async ({ page }) => {
    const sent = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        post: { method: 'POST', url: '/echo' },
        del: { method: 'DELETE', url: '/echo' },
        merge: { method: 'PATCH', url: '/echo', headers: { 'Content-Type': 'application/merge-patch+json' } },
        json: { method: 'PUT', url: '/echo' },
      });
      photo.configureRequest((request, action) => {
        if (action === 'json') request.setRequestHeader('Content-Type', 'application/json');
      });
      const data = { a: 1, b: 'x y&ü', c: ['1', 2, null], d: null, e: undefined, f: new Date(0), g: false };
      const nested = { list: [1, { a: null }], at: new Date(0) };
      const changed = { a: 'before' };
      const calls = [
        photo.post({}, data),
        photo.del({}, { a: 1 }),
        photo.post({}, '<a>ü</a>'),
        photo.post({}, '<a/>', { headers: { 'Content-Type': 'text/xml' } }),
        photo.post({}, {}),
        photo.post(),
        photo.json({}, nested),
        photo.json({}, [1, 2]),
        photo.json({}, 7),
        photo.json({}, '{"as": "given"}'),
        photo.merge({}, { a: null }),
        photo.post({}, nested, { headers: { 'content-type': 'text/json; charset=utf-8' } }),
        photo.post({}, changed),
      ];
      changed.a = 'after';
      const answers: unknown[] = await Promise.all(calls.map((id) => photo.result(id)));
      return answers;
    });
    const form = 'application/x-www-form-urlencoded';
    const json = '{"list":[1,{"a":null}],"at":"1970-01-01T00:00:00.000Z"}';
    const rows: readonly (readonly [type: string | undefined, body: string])[] = [
      [form, 'a=1&b=x+y%26%C3%BC&c=1&c=2&f=1970-01-01T00%3A00%3A00.000Z&g=false'],
      [form, 'a=1'],
      [form, '<a>ü</a>'],
      ['text/xml', '<a/>'],
      [form, ''],
      [undefined, ''],
      ['application/json', json],
      ['application/json', '[1,2]'],
      ['application/json', '7'],
      ['application/json', '{"as": "given"}'],
      ['application/merge-patch+json', '{"a":null}'],
      ['text/json; charset=utf-8', json],
      [form, 'a=before'],
    ];
    expect(sent.length).toBe(rows.length);
    for (const [index, [type, body]] of rows.entries()) {
      expect(sent[index]).toMatchObject({ body });
      expect(typeOf(sent[index])).toBe(type);
    }
  });

  test('of a platform type goes as fetch would send it', async ({ page }) => {
    const sent = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({ put: { method: 'PUT', url: '/echo' } });
      const form = new FormData();
      form.append('title', 'Sea');
      form.append('file', new File(['bytes of it'], 'sea.png', { type: 'image/png' }));
      const bytes = new TextEncoder().encode('0123456789');
      const blob = new Blob(['of a blob'], { type: 'image/png' });
      const calls = [
        photo.put({}, new URLSearchParams('a=1&a=2')),
        photo.put({}, form),
        photo.put({}, blob),
        photo.put({}, blob, { headers: { 'Content-Type': 'text/csv' } }),
        photo.put({}, new Blob(['untyped'])),
        photo.put({}, bytes.buffer),
        photo.put({}, bytes.subarray(2, 5)),
        photo.put({}, new DataView(bytes.buffer, 7)),
      ];
      bytes.fill(65);
      const answers: unknown[] = await Promise.all(calls.map((id) => photo.result(id)));
      return answers;
    });
    expect(sent).toMatchObject([
      { body: 'a=1&a=2', headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' } },
      { headers: { 'content-type': expect.stringContaining('multipart/form-data; boundary=') } },
      { body: 'of a blob', headers: { 'content-type': 'image/png' } },
      { body: 'of a blob', headers: { 'content-type': 'text/csv' } },
      { body: 'untyped' },
      { body: '0123456789' },
      { body: '234' },
      { body: '789' },
    ]);
    for (const untyped of sent.slice(4)) expect(typeOf(untyped)).toBeUndefined();
    const [, form] = sent;
    expect(form).toMatchObject({ body: expect.stringMatching(/name="title"\r\n\r\nSea\r\n/) });
    expect(form).toMatchObject({
      body: expect.stringMatching(/filename="sea.png"\r\nContent-Type: image\/png\r\n\r\nbytes of it\r\n/),
    });
  });

  test('of a GET or HEAD joins the query', async ({ page, server }) => {
    await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/echo{?page}' },
        head: { method: 'HEAD', url: '/echo' },
      });
      photo.configureRequest((request) => request.setRequestHeader('Content-Type', 'application/json'));
      const form = new FormData();
      form.append('q', 'form');
      const calls: readonly (readonly [page: number | null, data: object | string])[] = [
        [null, { q: 'x y', tags: ['a', 'b'], none: null }],
        [1, { q: 'x' }],
        [2, 'q=raw'],
        [null, new URLSearchParams({ q: 'params' })],
        [3, form],
        [4, {}],
      ];
      for (const [number, data] of calls) await photo.result(photo.get({ page: number }, data));
      await photo.result(photo.head({}, { q: 'head' }));
    });
    expect(server.journal.entries.map(({ method, url, body }) => `${method} ${url}${body}`)).toEqual([
      'GET /echo?q=x+y&tags=a&tags=b',
      'GET /echo?page=1&q=x',
      'GET /echo?page=2&q=raw',
      'GET /echo?q=params',
      'GET /echo?page=3&q=form',
      'GET /echo?page=4',
      'HEAD /echo?q=head',
    ]);
  });

  test('that the method or the type cannot carry throws at the call', async ({ page, server }) => {
    const refusals = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/echo' },
        post: { method: 'POST', url: '/echo' },
      });
      const { thrown } = window.witness;
      const file = new FormData();
      file.append('file', new File(['x'], 'x.txt'));
      const round: Record<string, unknown> = {};
      round['self'] = round;
      const json = { headers: { 'Content-Type': 'application/json' } };
      photo.configureRequest((request, action) => {
        if (action === 'post' && request.data === round)
          request.setRequestHeader('Content-Type', 'text/json');
      });
      const onGet = [new ArrayBuffer(8), new Uint8Array(8), new Blob(['x']), file, [1], 7, { a: {} }];
      const asForm = [
        { a: { b: 1 } },
        { a: [[1]] },
        [1, 2],
        7,
        true,
        new Map(),
        { a: Number },
        { a: new Set() },
      ];
      const refused = {
        onGet: onGet.map((data) => thrown(() => photo.get({}, data))),
        asForm: asForm.map((data) => thrown(() => photo.post({}, data))),
        asJson: [thrown(() => photo.post({}, round)), thrown(() => photo.post({}, () => 1, json))],
      };
      await photo.result(photo.get());
      return refused;
    });
    for (const refusal of refusals.onGet)
      expect(refusal).toMatch(/^TypeError: (Data|Field 'a') of 'get' cannot/);
    expect(refusals.onGet[0]).toContain('cannot join the query of a GET: it is a ArrayBuffer');
    for (const refusal of refusals.asForm)
      expect(refusal).toMatch(/^TypeError: .*'post'.*JSON.*application\/json/);
    for (const refusal of refusals.asJson) expect(refusal).toMatch(/^TypeError: Data of 'post' .*JSON/);
    expect(server.journal.entries).toMatchObject([{ method: 'GET', url: '/echo' }]);
  });
});

/** The Content-Type of what `/echo` was sent. */
function typeOf(echo: unknown): unknown {
  expect(echo).toHaveProperty('headers');
  return Object(echo).headers['content-type'];
}
