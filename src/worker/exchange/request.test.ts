import { expect, test } from 'vitest';
import { FOREIGN, order, PAGE, respond, Stage } from './order.fixture.ts';
import type { Wish } from './order.fixture.ts';

const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT';
const BOTH = { etag: '"1"', lastModified: DATE };

async function sent(wish: Wish): Promise<Stage> {
  const stage = new Stage(() => respond(null));
  await stage.send(order(wish));
  return stage;
}

test('the browser’s own cache is never used', async () => {
  const { requests } = await sent({});
  expect(requests[0]?.init.cache).toBe('no-store');
});

test('credentials go as the policy says', async () => {
  const { requests } = await sent({ policy: { credentials: 'include' } });
  expect(requests[0]?.init.credentials).toBe('include');
});

test.each(['GET', 'HEAD'])('both validators go with a %s to one’s own origin', async (method) => {
  const stage = await sent({ method, validators: BOTH });
  expect(stage.sentHeader('if-none-match')).toBe('"1"');
  expect(stage.sentHeader('if-modified-since')).toBe(DATE);
});

test('to another origin goes no date, whose preflight might be refused', async () => {
  const policy = { origins: [FOREIGN] };
  const stage = await sent({ url: `${FOREIGN}/`, documentUrl: `${PAGE}/`, validators: BOTH, policy });
  expect(stage.sentHeader('if-none-match')).toBe('"1"');
  expect(stage.sentHeader('if-modified-since')).toBeNull();
});

test('no validators go with a write', async () => {
  const stage = await sent({ method: 'PUT', validators: BOTH });
  expect(stage.sentHeader('if-none-match')).toBeNull();
});

test.each(['If-None-Match', 'if-modified-since', 'If-Match', 'If-Unmodified-Since', 'If-Range'])(
  'no validators go where the page set %s itself',
  async (name) => {
    const stage = await sent({ headers: [[name, '"page"']], validators: BOTH });
    expect(stage.sentHeader(name)).toBe('"page"');
    const others = ['if-none-match', 'if-modified-since'].filter((each) => each !== name.toLowerCase());
    expect(others.map((each) => stage.sentHeader(each))).toEqual(others.map(() => null));
  },
);

test('what was sent is shown without its secrets', async () => {
  const stage = new Stage(() => respond(null));
  const exchanged = await stage.send(
    order({
      headers: [
        ['Authorization', 'Bearer 123'],
        ['X-Key', 'abc'],
        ['X-Size', 'small'],
      ],
      policy: { secretHeaders: ['x-key'] },
    }),
  );
  expect(stage.sentHeader('authorization')).toBe('Bearer 123');
  expect(exchanged.request?.headers).toEqual([
    ['Authorization', 'redacted'],
    ['X-Key', 'redacted'],
    ['X-Size', 'small'],
  ]);
});

test.each([
  ['name', 'X Size', 'small'],
  ['value', 'X-Size', 'sm\r\nall'],
])('a header whose %s is invalid is named and nothing is sent', async (_part, name, value) => {
  const stage = new Stage(() => respond(null));
  const exchanged = await stage.send(order({ headers: [[name, value]] }));
  expect(exchanged).toMatchObject({
    kind: 'failed',
    failure: {
      code: 'protocol',
      message: `GET ${PAGE}/photo cannot be sent: header '${name}' is not a valid one`,
    },
    request: null,
  });
  expect(stage.requests).toEqual([]);
});

test('a secret in an invalid header is not told in the message', async () => {
  const exchanged = await new Stage(() => respond(null)).send(
    order({ headers: [['Authorization', 'se\ncret']] }),
  );
  expect(JSON.stringify(exchanged)).not.toContain('cret');
});

test('what fetch would refuse is not taken for a network failure', async () => {
  const stage = new Stage(() => respond(null));
  const bodied = await stage.send(order({ body: { kind: 'text', text: 'a body' } }));
  const trace = await stage.send(order({ method: 'TRACE' }));
  expect(bodied).toMatchObject({ kind: 'failed', failure: { code: 'protocol' } });
  expect(trace).toMatchObject({ kind: 'failed', failure: { code: 'protocol' } });
  expect(stage.requests).toEqual([]);
});

test('the mode same-origin sends nothing to another origin, and says so', async () => {
  const stage = new Stage(() => respond(null));
  const wish = { url: `${FOREIGN}/`, documentUrl: `${PAGE}/`, policy: { mode: 'same-origin' } } as const;
  expect(await stage.send(order(wish))).toMatchObject({
    kind: 'failed',
    failure: { code: 'protocol', message: expect.stringContaining("'same-origin'") },
    request: null,
  });
  expect(stage.requests).toEqual([]);
});
