import type { RestResource } from 'offstage';
import { expect, test } from './test.ts';

test.describe('declaring actions', () => {
  test('makes a method of each, whatever its name and HTTP method, and the last one counts', async ({
    page,
  }) => {
    const answers = await page.evaluate(async () => {
      const photo = new window.offstage.Resource();
      const names = ['get', 'put', 'del', 'post', 'name', 'url', 'state', 'list all', 'größe'];
      for (const name of names) photo.map(name, 'patch', `/echo/${encodeURIComponent(name)}`);
      const made = names.map((name) => photo.invoke(name));
      photo.map('get', 'Propfind', '/echo/again');
      photo.map('put', 'm-search', '/echo/search');
      made.push(photo.invoke('get'), photo.invoke('put'));
      return { names, answers: await Promise.all(made.map((id) => photo.result(id))) };
    });
    expect(answers.answers).toMatchObject([
      ...answers.names.map((name) => ({ method: 'PATCH', url: `/echo/${encodeURIComponent(name)}` })),
      { method: 'PROPFIND', url: '/echo/again' },
      { method: 'M-SEARCH', url: '/echo/search' },
    ]);
  });

  test('refuses a name that would shadow a member, now or later', async ({ page }) => {
    const taken = [
      'constructor',
      'then',
      '__proto__',
      'stream',
      'toString',
      'hasOwnProperty',
      'valueOf',
      'map',
      'invoke',
      'result',
      'refresh',
      'poll',
      'longPoll',
      'abort',
      'configureRequest',
      'setBaseUrl',
      'dispose',
      'addListener',
      'removeListener',
      'addEventListener',
      'dispatchEvent',
    ];
    const refusals = await page.evaluate(async (names) => {
      const { Resource } = window.offstage;
      const photo = new Resource();
      const entry = '{"method":"GET","url":"/echo"}';
      return {
        mapped: names.map((name) => window.witness.thrown(() => photo.map(name, 'GET', '/echo'))),
        described: names.map((name) =>
          window.witness.thrown(() => new Resource(JSON.parse(`{"${name}":${entry}}`))),
        ),
        nameless: window.witness.thrown(() => photo.map('', 'GET', '/echo')),
        still: [typeof photo.map, Object.keys(photo)],
      };
    }, taken);
    const messages = taken.map((name) => `Error: Method with name of action (${name}) already exists`);
    expect(refusals).toEqual({
      mapped: messages,
      described: messages,
      nameless: 'TypeError: The name of an action must be a non-empty string',
      still: ['function', []],
    });
  });

  test('says what a description lacks, and which action there is none of', async ({ page, server }) => {
    const messages = await page.evaluate(() => {
      const { Resource } = window.offstage;
      const { thrown } = window.witness;
      const described = (description: string): string | null =>
        thrown(() => new Resource(JSON.parse(description)));
      const photo: RestResource = new Resource({ get: { method: 'GET', url: '/echo' } });
      const calls = [
        () => photo.invoke('nothing'),
        () => photo.poll('nothing'),
        () => photo.longPoll('nothing'),
        () => photo.refresh('nothing'),
        () => photo.abort('nothing'),
        () => new window.offstage.RestStore(photo, 'nothing'),
      ];
      return {
        method: described('{"get":{"url":"/echo"}}'),
        url: described('{"get":{"method":"GET"}}'),
        number: described('{"get":{"method":3,"url":"/echo"}}'),
        unknown: calls.map((call) => thrown(call)),
      };
    });
    expect(messages).toEqual({
      method: "Error: Method must be string for route 'get'",
      url: "Error: URL must be string for route 'get'",
      number: "Error: Method must be string for route 'get'",
      unknown: Array.from({ length: 6 }, () => 'Error: No route for action nothing'),
    });
    expect(server.journal.entries).toEqual([]);
  });

  test('refuses a malformed template, a method that cannot be sent, and a check that is none', async ({
    page,
  }) => {
    const templates = ['/{', '/}', '/{}', '/{=x}', '/{|x}', '/{a b}', '/{a:0}', '/{a:10000}', '/{a**}'];
    templates.push('/{{a}}', '/{a,}', '/%zz', '/a b', '/{a=\u0000}', '/{a.}');
    const methods = ['TRACE', 'track', 'Connect', '', 'GET IT', 'GÉT', 'GET\r\n'];
    const refusals = await page.evaluate(
      ([malformed, unsendable]) => {
        const { thrown } = window.witness;
        const photo = new window.offstage.Resource();
        const check = (id: unknown): string | null =>
          window.witness.misused(photo, 'map', 'get', 'GET', '/photo/{id}', id);
        return {
          templates: malformed.map((template) => thrown(() => photo.map('get', 'GET', template))),
          methods: unsendable.map((method) => thrown(() => photo.map('get', method, '/photo'))),
          checks: [{ id: 'REQUIRED' }, { id: true }, { id: null }, ['id'], 'id'].map(check),
          numbers: [{ timeout: 0 }, { timeout: Number.NaN }, { retry: -1 }, { retry: 0.5 }].map((options) =>
            thrown(() => photo.map('get', 'GET', '/photo', {}, options)),
          ),
          mapped: Object.keys(photo),
        };
      },
      [templates, methods] as const,
    );
    for (const [index, refusal] of refusals.templates.entries()) {
      expect(refusal, templates[index]).toContain(
        `TemplateError: Malformed URL template '${templates[index]}'`,
      );
    }
    for (const refusal of refusals.methods) expect(refusal).toContain("TypeError: Method of 'get' must ");
    for (const refusal of refusals.checks)
      expect(refusal).toMatch(/^TypeError: Checks? of '(id' in ')?get' must/);
    for (const refusal of refusals.numbers)
      expect(refusal).toMatch(/^RangeError: (Timeout|Retry) of 'get' must/);
    expect(refusals.mapped).toEqual([]);
  });
});
