import type { RestResource } from 'offstage';
import { expect, test } from './test.ts';

test.describe('a URL', () => {
  test('that values lead out of its base is an error event and a rejected result, and never asked', async ({
    page,
    server,
    elsewhere,
  }) => {
    const rows: readonly (readonly [template: string, params: Readonly<Record<string, string>>])[] = [
      ['/photo/{id}', { id: '..' }],
      ['/photo/{id}', { id: '.' }],
      ['/photo/{a}{b}', { a: '.', b: '.' }],
      ['/photo/{a}./x', { a: '.' }],
      ['/photo/{id}', { id: 'a\\b' }],
      ['/photo/{id}', { id: 'a\u0000b' }],
      ['/photo/{+path}', { path: '../echo' }],
      ['/photo/{+path}', { path: 'a/%2e%2e/b' }],
      ['/photo/{+path}', { path: 'a/%2E./b' }],
      ['/photo/{+path}', { path: '..%2fecho' }],
      ['/photo{/path*}', { path: '..' }],
      ['{+url}', { url: `${elsewhere.url}/echo` }],
      ['{+url}', { url: `//${new URL(elsewhere.url).host}/echo` }],
      ['{+url}', { url: 'javascript:alert(1)' }],
      [`${server.url}{+more}`, { more: '@evil.example/' }],
      [`${server.url}{+more}`, { more: '0/echo' }],
    ];
    const outcome = await page.evaluate(async (calls) => {
      const { Resource } = window.offstage;
      const photo: RestResource = new Resource({ last: { method: 'GET', url: '/photo/last' } });
      const heard = window.witness.record(photo, 'getError', 'error', 'getSuccess', 'sent');
      const sent = calls.map(([template, params]) => {
        photo.map('get', 'GET', template);
        return window.witness.ending(photo.result(photo.invoke('get', params)));
      });
      const endings = await Promise.all(sent);
      await photo.result(photo.invoke('last'));
      return { heard, codes: endings.map(({ code }) => code), errors: endings.map(({ error }) => error) };
    }, rows);
    expect(outcome.codes).toEqual(rows.map(() => 'blocked-url'));
    for (const error of outcome.errors) expect(error).toContain('URL template');
    const errors = outcome.heard.filter(({ code }) => code === 'blocked-url');
    expect(errors.map(({ type }) => type)).toEqual(rows.flatMap(() => ['getError', 'error']));
    expect(errors).toMatchObject(errors.map(() => ({ phase: 'error', status: 0, servedFrom: null })));
    expect(server.journal.entries).toMatchObject([{ url: '/photo/last' }]);
    expect(elsewhere.journal.entries).toEqual([]);
  });

  test('that a parameter of a megabyte makes is too long, and never asked', async ({ page, server }) => {
    const outcome = await page.evaluate(async () => {
      const { Resource } = window.offstage;
      const photo = new Resource({
        get: { method: 'GET', url: '/photo/{id}' },
        list: { method: 'GET', url: '/photo{?id*}' },
      });
      const heard = window.witness.record(photo, 'getError', 'error');
      const calls = [
        photo.get({ id: 'x'.repeat(1_000_000) }),
        photo.get({ id: 'ü'.repeat(16_000) }),
        photo.list({ id: Array.from({ length: 100_000 }, (_, index) => index) }),
        photo.get({ id: 'x' }, { q: 'x'.repeat(16_384) }),
      ];
      const endings = await Promise.all(calls.map((id) => window.witness.ending(photo.result(id))));
      const long = await photo.result(photo.get({ id: 'x'.repeat(8_000) }));
      return { heard, codes: endings.map(({ code }) => code), long };
    });
    expect(outcome.codes).toEqual(outcome.codes.map(() => 'url-too-long'));
    expect(outcome.heard.filter(({ type }) => type === 'error').length).toBe(4);
    expect(outcome.heard[0]).toMatchObject({ type: 'getError', code: 'url-too-long', status: 0 });
    expect(outcome.long).toMatchObject({ url: `/photo/${'x'.repeat(8_000)}` });
    expect(server.journal.entries.length).toBe(1);
  });

  test('of another origin is asked where the author wrote it, and never where a value says so', async ({
    page,
    elsewhere,
  }) => {
    const outcome = await page.evaluate(async (url) => {
      const { connect, Resource } = window.offstage;
      const written = new Resource({ get: { method: 'GET', url: `${url}/echo/{id}` } });
      const connection = connect({ serviceWorker: '/service-worker.js', origins: [url] });
      const given = new Resource({ get: { method: 'GET', url: '{+base}/echo/2' } }, { connection });
      const answer = await written.result(written.get({ id: 1 }));
      return { answer, refused: await window.witness.ending(given.result(given.get({ base: url }))) };
    }, elsewhere.url);
    expect(outcome.answer).toMatchObject({ url: '/echo/1' });
    expect(outcome.refused).toMatchObject({ code: 'blocked-url' });
    expect(elsewhere.journal.entries).toMatchObject([{ method: 'GET', url: '/echo/1' }]);
  });
});

test.describe('a redirect', () => {
  test('is followed by reads within the origin, and by no write', async ({ page, server }) => {
    const outcome = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/redirect?to=/echo/there' },
        post: { method: 'POST', url: '/redirect?to=/echo/there&status={status}' },
      });
      const heard = window.witness.record(photo, 'postError');
      const calls = [302, 303, 307, 308].map((status) => photo.post({ status }, 'a=1'));
      const writes = await Promise.all(calls.map((id) => window.witness.ending(photo.result(id))));
      const read = await photo.result(photo.get());
      return { read, writes: writes.map(({ code }) => code), heard };
    });
    expect(outcome.read).toMatchObject({ method: 'GET', url: '/echo/there' });
    expect(outcome.writes).toEqual(['redirected', 'redirected', 'redirected', 'redirected']);
    expect(outcome.heard[0]).toMatchObject({ phase: 'error', code: 'redirected' });
    expect(outcome.heard[0]?.message).toContain('it is a write');
    expect(server.journal.of('/redirect').length).toBe(5);
    expect(server.journal.of('/echo/there')).toMatchObject([{ method: 'GET' }]);
  });

  test('to another origin brings no answer from there, nor secrets to it', async ({
    page,
    server,
    elsewhere,
  }) => {
    elsewhere.on('GET /back', ({ response }) => {
      response.writeHead(302, { Location: `${server.url}/echo/back` }).end();
    });
    const outcome = await page.evaluate(async (url) => {
      const { connect, Resource } = window.offstage;
      const { ending } = window.witness;
      const away = { method: 'GET', url: `/redirect?to=${encodeURIComponent(`${url}/echo/away`)}` };
      const strict = new Resource({ get: away });
      const connection = connect({ serviceWorker: '/service-worker.js', origins: ['http://third.example'] });
      const lax = new Resource({ get: away }, { connection });
      const secretive = new Resource(
        { get: { method: 'GET', url: `${url}/back` } },
        { connection: connect({ serviceWorker: '/service-worker.js', origins: [url] }) },
      );
      const headers = { Authorization: 'secret' };
      return {
        none: await ending(strict.result(strict.get())),
        other: await ending(lax.result(lax.get())),
        own: await ending(strict.result(strict.get({}, null, { headers }))),
        secret: await ending(secretive.result(secretive.get({}, null, { headers }))),
        key: await ending(secretive.result(secretive.get({}, null, { headers: { 'X-Api-Key': 'key' } }))),
        open: await ending(secretive.result(secretive.get())),
      };
    }, elsewhere.url);
    expect(outcome.none).toMatchObject({ code: 'network' });
    expect(outcome.none.error).toContain('a redirect to an origin that is not allowed');
    expect(outcome.other).toMatchObject({ code: 'blocked-url' });
    expect(outcome.other.error).toContain('was discarded');
    expect(outcome.own).toMatchObject({ code: 'network' });
    expect(outcome.secret).toMatchObject({ code: 'redirected' });
    expect(outcome.key).toMatchObject({ code: 'redirected' });
    expect(outcome.open).toMatchObject({ response: { url: '/echo/back' } });
    const seen = elsewhere.journal.of('/echo/away').map(({ headers }) => headers['authorization']);
    expect(seen.filter((each) => each !== undefined)).toEqual([]);
    expect(server.journal.of('/echo/back').length).toBe(1);
  });
});
