import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Reply } from '../../shared/protocol.ts';
import { flush } from '../session/host.fixture.ts';
import { DONE, heardOf, Later, QueueingPage } from './queueing-page.fixture.ts';
import { WRITE } from './write.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => page.leave());

async function turns(): Promise<void> {
  for (let n = 0; n < 8; n += 1) await flush();
}

test.each([false, true])(
  'the end that comes before a call knows that it is queued is told; called while signing in: %s',
  async (early) => {
    const photos = page.photos();
    const heard = heardOf(photos);
    page.host.life.identity = { name: null, epoch: 2, isSignedIn: false };
    await turns();
    const answer = new Later<Reply>();
    page.host.life.replyTo = (command) => (command.kind === 'sign-in' ? answer.promise : { kind: 'done' });
    const signing = page.connection.signIn('anna');
    let id = early ? photos.add({ album: 7 }, 'title=Dusk') : 0;
    await turns();
    answer.resolve({ kind: 'identity', identity: { name: 'anna', isSignedIn: true, epoch: 3 } });
    await signing;
    if (!early) id = photos.add({ album: 7 }, 'title=Dusk');
    await turns();
    const write = { ...WRITE, ...page.submitted.ticket };
    await page.tell({ ...write, ...DONE });
    await page.tellQueued(id, write);
    await turns();
    expect(heard.map((each) => Object(each)[0])).toEqual(['addQueued', 'queued', 'addSuccess']);
  },
);
