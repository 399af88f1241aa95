import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Reply } from '../../shared/protocol.ts';
import { Resource } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { Later, QueueingPage, readLate } from './queueing-page.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => page.leave());

async function turns(): Promise<void> {
  for (let n = 0; n < 8; n += 1) await flush();
}

/** Anna is signed in. From here on, a worker answers `signIn` when the returned promise resolves. */
async function asAnna(): Promise<Later<Reply>> {
  const { life } = page.host;
  life.identity = { name: null, epoch: 1, isSignedIn: false };
  life.reply = { kind: 'identity', identity: { name: 'anna', isSignedIn: true, epoch: 2 } };
  await page.connection.signIn('anna');
  const answer = new Later<Reply>();
  life.replyTo = (command) => (command.kind === 'sign-in' ? answer.promise : { kind: 'done' });
  return answer;
}

/** Bert is signed in, and the file is read while he is. */
async function becomeBert(answer: Later<Reply>, read: Later<ArrayBuffer>): Promise<void> {
  const signing = page.connection.signIn('bert');
  await turns();
  read.resolve(new ArrayBuffer(4));
  await turns();
  answer.resolve({ kind: 'identity', identity: { name: 'bert', isSignedIn: true, epoch: 3 } });
  await signing;
  await turns();
}

test.each([
  ['queue', 'before signIn'],
  ['queue', 'while signIn is under way'],
  [null, 'before signIn'],
  [null, 'while signIn is under way'],
] as const)(
  'what anna calls with a file (offline: %s) is never sent as bert, though the file is read %s',
  async (offline, when) => {
    const photos = new Resource(
      { add: { method: 'POST', url: '/photos', ...(offline && { offline }) } } as const,
      {
        connection: page.connection,
        name: 'photos',
      },
    );
    const answer = await asAnna();
    const read = readLate();
    const id = photos.add(null, new Blob(['of anna']));
    let why: unknown = null;
    photos.result(id).catch((error: unknown) => (why = error));
    await turns();
    if (when === 'before signIn') read.resolve(new ArrayBuffer(4));
    await turns();
    const sentAsAnna = page.host.life.submitted.length;
    await becomeBert(answer, read);
    const sent = page.host.life.submitted.map(({ epoch, invocation }) => [epoch, invocation.method]);
    expect(why).toMatchObject({ failure: { code: 'identity-changed' } });
    expect(sent.slice(sentAsAnna)).toEqual([]);
  },
);

test('what anna calls behind such a file is never sent as bert', async () => {
  const photos = page.photos();
  const answer = await asAnna();
  const read = readLate();
  photos.add({ album: 7 }, new Blob(['of anna']));
  photos.add({ album: 7 }, 'title=of anna');
  await turns();
  await becomeBert(answer, read);
  const sent = page.host.life.submitted.map(({ epoch, invocation: { body } }) => [
    epoch,
    'text' in body ? body.text : body.kind,
  ]);
  expect(sent).toEqual([]);
});
