import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CredentialsReply } from '../../shared/credentials.ts';
import { Deferred } from '../../worker/platform/waiting.ts';
import { flush } from './host.fixture.ts';
import { fakeTime, SessionStage } from './stage.fixture.ts';

const ORIGIN = 'https://api.example';
const WANTED = { kind: 'credentials-wanted', question: 'a', origin: ORIGIN, reason: 'first' } as const;
const GIVEN: CredentialsReply = { kind: 'given', headers: [['A', '1']], expiresAt: null };

let stage: SessionStage;

beforeEach(() => {
  fakeTime();
  stage = new SessionStage();
});

afterEach(() => {
  stage.session.close();
  vi.useRealTimers();
});

test('the greeting says for which origins the page provides', async () => {
  stage.session.provision.set([ORIGIN]);
  stage.session.connect();
  await flush();
  expect(stage.host.life.greeted.at(-1)?.provides).toEqual([ORIGIN]);
  expect(stage.host.life.told('provides')).toEqual([]);
});

test('a change is told at once, before calls that follow, and is part of the next greeting', async () => {
  await stage.call(1);
  stage.session.provision.set([ORIGIN]);
  await stage.call(2);
  expect(stage.host.life.order.slice(-2)).toEqual(['provides', 'submit 2']);
  await stage.host.replace();
  await flush();
  expect(stage.host.life.greeted.at(-1)?.provides).toEqual([ORIGIN]);
});

test('the page says at once that it asks, and then what its provider gave', async () => {
  const provider = new Deferred<CredentialsReply>();
  const asked: unknown[] = [];
  stage.provider = (wanted) => {
    asked.push([wanted.origin, wanted.reason]);
    return provider.promise;
  };
  await stage.call(1);
  await stage.host.life.deliver(WANTED);
  await flush();
  const asking = { kind: 'credentials', question: 'a', reply: { kind: 'asking' } };
  expect(stage.host.life.told('credentials')).toEqual([asking]);
  provider.resolve(GIVEN);
  await flush();
  expect(stage.host.life.told('credentials')).toEqual([asking, { ...asking, reply: GIVEN }]);
  expect(asked).toEqual([[ORIGIN, 'first']]);
});

test('what it gave is insisted on, whatever happens to the connection meanwhile', async () => {
  const provider = new Deferred<CredentialsReply>();
  stage.provider = () => provider.promise;
  await stage.call(1);
  await stage.host.life.deliver(WANTED);
  stage.host.life.die();
  provider.resolve(GIVEN);
  await flush();
  await stage.host.replace();
  await flush();
  expect(stage.host.life.told('credentials').at(-1)?.reply).toEqual(GIVEN);
});

test('a page that does not know yet for whom it is answers once it does', async () => {
  const asked: unknown[] = [];
  stage.provider = async (wanted) => {
    asked.push(wanted.question);
    return GIVEN;
  };
  const anna = { name: 'anna', isSignedIn: true, epoch: 5 };
  stage.host.life.identity = anna;
  stage.host.life.replyTo = ({ kind }) =>
    kind === 'sign-in' ? { kind: 'identity', identity: anna } : { kind: 'done' };
  stage.session.connect();
  await flush();
  await stage.host.life.deliver(WANTED);
  await stage.host.life.deliver({ ...WANTED, question: 'b' });
  await flush();
  expect([asked, stage.host.life.told('credentials')]).toEqual([[], []]);
  await stage.session.signing.sign('anna', { kind: 'sign-in', name: 'anna' });
  await flush();
  // The worker has asked again since: nobody waits for the first answer any more.
  expect(asked).toEqual(['b']);
  expect(stage.host.life.told('credentials').at(-1)).toEqual({
    kind: 'credentials',
    question: 'b',
    reply: GIVEN,
  });
});
