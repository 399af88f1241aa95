import type { Checks } from 'offstage';
import { expect, test } from './test.ts';

test.describe('a check', () => {
  test('throws for a missing parameter at the call, and nothing is sent', async ({ page, server }) => {
    const refusals = await page.evaluate(async () => {
      const { Resource, RestError } = window.offstage;
      // Their type names no parameters, so that the compiler lets through what the checks refuse.
      const check: Checks = { id: Resource.REQUIRED };
      const pattern: Checks = { id: /1/ };
      const photo = new Resource({
        get: { method: 'GET', url: '/photo/{id}/{size=medium}', check },
        byDefault: { method: 'GET', url: '/photo/{id=1}', check },
        byPattern: { method: 'GET', url: '/photo/{id=1}', check: pattern },
      });
      const heard = window.witness.record(photo, 'started', 'success', 'error');
      const calls = [
        () => photo.get({}),
        () => photo.get(),
        () => photo.get({ id: null }),
        () => photo.get({ id: undefined, size: 'large' }),
        () => photo.invoke('get', { id: [] }),
        () => photo.poll('get', {}),
        () => photo.longPoll('get', {}),
        () => photo.byDefault({}),
        () => photo.byPattern({}),
      ];
      const messages = calls.map((call) => window.witness.thrown(call));
      let failure: unknown = null;
      try {
        photo.get({});
      } catch (error) {
        if (error instanceof RestError) failure = { ...error.failure };
      }
      await photo.result(photo.get({ id: '' }));
      return { messages, failure, heard: heard.map(({ type }) => type) };
    });
    expect(new Set(refusals.messages)).toEqual(new Set(["RestError: Missing parameter 'id'"]));
    expect(refusals.failure).toMatchObject({
      code: 'missing-parameter',
      message: "Missing parameter 'id'",
      action: 'get',
      parameter: 'id',
    });
    expect(refusals.heard).toEqual(['started', 'success']);
    expect(server.journal.entries).toMatchObject([{ url: '/photo//medium' }]);
  });

  test('is a pattern that each value must match', async ({ page, server }) => {
    const outcome = await page.evaluate(async () => {
      const { Resource } = window.offstage;
      const photo = new Resource({
        get: { method: 'GET', url: '/photo/{id}', check: { id: /^\d+$/g } },
        any: { method: 'GET', url: '/photo/{id}', check: { id: /./s } },
      });
      const refused = ['x', '', -1, [1, 'x'], 1.5, '1\n2'].map((id) =>
        window.witness.thrown(() => photo.get({ id })),
      );
      const long = window.witness.thrown(() => photo.any({ id: 'x'.repeat(4_097) }));
      const sent = [photo.get({ id: 12 }), photo.get({ id: '12' }), photo.get({ id: [1, '2'] })];
      sent.push(photo.any({ id: 'x'.repeat(4_096) }));
      await Promise.all(sent.map((id) => photo.result(id)));
      return [...refused, long];
    });
    expect(outcome).toEqual(outcome.map(() => "RestError: Parameter 'id' is invalid"));
    // Equal reads at one time share a request.
    expect(server.journal.entries.map(({ url }) => url.slice(0, 14)).toSorted()).toEqual([
      '/photo/1,2',
      '/photo/12',
      '/photo/xxxxxxx',
    ]);
  });

  test('is a predicate that gets the value as text, item by item, and all parameters', async ({
    page,
    server,
  }) => {
    const outcome = await page.evaluate(async () => {
      const { Resource, RestError } = window.offstage;
      const asked: unknown[] = [];
      const broken = new Error('on purpose');
      const check: Checks = {
        id: (value, params) => {
          asked.push([value, params]);
          if (value === 'broken') throw broken;
          return value !== 'no';
        },
      };
      const photo = new Resource({ get: { method: 'GET', url: '/photo/{id}', check } });
      await photo.result(photo.get({ id: [1, 'b'], size: 'large' }));
      const refused = window.witness.thrown(() => photo.get({ id: ['yes', 'no'] }));
      let cause: unknown = null;
      try {
        photo.get({ id: 'broken' });
      } catch (error) {
        cause = error instanceof RestError ? [error.message, error.cause === broken] : error;
      }
      return { asked: asked.slice(0, 2), refused, cause };
    });
    const params = { id: [1, 'b'], size: 'large' };
    expect(outcome).toEqual({
      asked: [
        ['1', params],
        ['b', params],
      ],
      refused: "RestError: Parameter 'id' is invalid",
      cause: ["Parameter 'id' is invalid", true],
    });
    expect(server.journal.entries).toMatchObject([{ url: '/photo/1,b' }]);
  });
});
