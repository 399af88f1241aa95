import { expect, test } from 'vitest';
import { invocation } from '../cache/invocation.fixture.ts';
import { configure } from './request-context.ts';

const URL = 'https://page.example/photo';

test('the hook sees the request and has the last word on its headers', async () => {
  const seen: unknown[] = [];
  const configured = await configure(
    async (request) => {
      seen.push(request.action, request.method, request.url, request.getRequestHeader('x-page'));
      await Promise.resolve();
      request.setRequestHeader('Authorization', 'Bearer fresh');
      request.removeRequestHeader('X-Page');
    },
    invocation({ headers: [['X-Page', '1']] }),
    URL,
  );
  expect(seen).toEqual(['get', 'GET', URL, '1']);
  expect(configured).toMatchObject({
    kind: 'configured',
    invocation: { headers: [['Authorization', 'Bearer fresh']] },
  });
});

function refuse(): never {
  throw new Error('no token');
}

test('what the hook throws is the failure of the call', async () => {
  expect(await configure(refuse, invocation(), URL)).toEqual({
    kind: 'refused',
    failure: { code: 'protocol', message: "The worker's configureRequest refused 'get': Error: no token" },
  });
});

test.each(['Cookie', 'referer', 'Sec-Fetch-Mode', 'Proxy-Authorization'])(
  'a hook that sets %s, which the browser would drop without a word, fails its call',
  async (name) => {
    const setting = await configure((request) => request.setRequestHeader(name, 'x'), invocation(), URL);
    expect(setting).toMatchObject({
      kind: 'refused',
      failure: { code: 'protocol', message: expect.stringContaining(`'${name}'`) },
    });
  },
);
