import { describe, expect, test } from 'vitest';
import { storableFailure } from './contracts/storing.ts';
import { houseOf } from './house.fixture.ts';
import { cursor } from './feeds/feed.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { onDisk } from './storage/on-disk.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import type { Seen } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { invocation } from './cache/invocation.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

const BODY = 'canary-body';
const HEADER = 'canary-header';
const TOKEN = 'canary-token';

async function storedBy(system: FakeSystem): Promise<string> {
  for (let turn = 0; turn < 50; turn += 1) await settle();
  return onDisk(system);
}

/** What is stored after every way on which an answer may get there, all of it by one page and one server. */
async function storedAfter(forbids: string, policy: 'default' | 'network-only'): Promise<string> {
  const system = new FakeSystem();
  system.grant();
  system.serve = (request) => answerTo(request, forbids);
  const house = houseOf(system, {
    configureRequest: (request) => request.setRequestHeader('Authorization', TOKEN),
  });
  const tab = new Tab((source, envelope) => house.receive(source, envelope));
  const wish = { headers: [['X-Key', TOKEN]] as const, policy: { cache: policy, secretHeaders: ['X-Key'] } };
  await tab.greet();
  const places = ['call', 'again', 'refused', 'broken', 'moved', 'post'];
  await tab.submitAll(
    places.map((place, id) =>
      submission(id + 1, { ...wish, template: `/${place}`, method: place === 'post' ? 'POST' : 'GET' }),
    ),
  );
  await until(() => tab.settled.length === places.length);
  await tab.submitAll([submission(10, { ...wish, template: '/again' })]);
  const loops = ['poll', 'poll-refused', 'poll-broken', 'feed'];
  for (const [index, place] of loops.entries())
    await tab.declare({
      loop: index + 1,
      pace: every(60_000),
      invocation: invocation({ ...wish, template: `/${place}` }),
      cursor: place === 'feed' ? cursor() : null,
    });
  const hasTold = (loop: number): boolean =>
    tab.deliveries.some((each) => each.kind === 'tick' && each.loop === loop);
  await until(() => loops.every((_, index) => hasTold(index + 1)));
  const before = await storedBy(system);
  // By then pages have taken what they were told, and all has been asked for once more.
  await system.clock.advance(61_000);
  return before + (await storedBy(system));
}

function answerTo({ url, headers }: Seen, forbids: string): Response {
  const { pathname } = new URL(url);
  const said = { 'Cache-Control': forbids, ETag: `"${HEADER}"`, 'X-Told': HEADER, 'X-Key': TOKEN };
  if (headers.get('if-none-match') !== null) return new Response(null, { status: 304, headers: said });
  if (pathname.endsWith('refused')) return json({ why: BODY }, said, 500);
  if (pathname.endsWith('broken'))
    return new Response(`{${BODY}`, { headers: { ...said, 'Content-Type': 'application/json' } });
  return json({ rows: [BODY], last: 7 }, said);
}

describe('of what must not be stored nothing is on the disk, whichever way it came', () => {
  test.each([
    ['as the server says', 'no-store', 'default' as const],
    ['as the policy says', 'max-age=60', 'network-only' as const],
  ])('%s', async (_, forbids, policy) => {
    const text = await storedAfter(forbids, policy);
    for (const canary of [BODY, HEADER, TOKEN]) expect(text).not.toContain(canary);
    // The failures and the feed are known for all that.
    expect(text).toContain('loops');
    expect(text).toContain('"code":"http"');
    expect(text).toContain('"code":"parse"');
  });
});

test('what the app throws where it makes requests may quote a secret, and is not on the disk', async () => {
  const system = new FakeSystem();
  system.grant();
  const house = houseOf(system, {
    configureRequest: () => {
      throw new Error(`${TOKEN} has expired`);
    },
  });
  const tab = new Tab((source, envelope) => house.receive(source, envelope));
  await tab.greet();
  await tab.declare({
    loop: 1,
    pace: every(60_000),
    invocation: invocation({ template: '/poll' }),
    cursor: null,
  });
  await until(() => tab.deliveries.some(({ kind }) => kind === 'tick'));
  const text = await storedBy(system);
  expect(text).toContain('"code":"protocol"');
  expect(text).not.toContain(TOKEN);
  expect(JSON.stringify(tab.deliveries)).toContain(TOKEN);
  const refused = storableFailure({ code: 'credentials', message: `No credentials: ${TOKEN} has expired` });
  expect(JSON.stringify(refused)).not.toContain(TOKEN);
});

test('else answers are there, and secrets and the bodies of failures are not', async () => {
  const text = await storedAfter('max-age=60', 'default');
  expect(text).toContain(BODY);
  expect(text).toContain(HEADER);
  expect(text).not.toContain(TOKEN);
  expect(text).not.toContain('why');
  expect(text).not.toContain(`{${BODY}`);
  // The feed's.
  expect(text).toMatch(/"offset":1.*canary-body/);
});
