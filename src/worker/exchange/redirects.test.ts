import { describe, expect, test } from 'vitest';
import { FOREIGN, from, order, PAGE, respond, Stage } from './order.fixture.ts';
import type { Wish } from './order.fixture.ts';
import { confine } from './request.ts';

const SECRET: Wish = { headers: [['Authorization', 'Bearer 123']] };
const KEY: Wish = { headers: [['X-Api-Key', 'a']] };
const ANYWHERE: Wish = {
  headers: [
    ['Accept', 'text/plain'],
    ['accept-language', 'de'],
    ['Content-Language', 'de'],
    ['Content-Type', 'text/plain; charset=utf-8'],
  ],
};
const LONG: Wish = { headers: [['Accept', 'a'.repeat(129)]] };
const JSON_TYPE: Wish = { headers: [['Content-Type', 'application/json']] };
const ALLOWED: Wish = { policy: { origins: [FOREIGN] } };

describe('how far a request may be led', () => {
  const own = `${PAGE}/photo`;
  const foreign = `${FOREIGN}/photo`;
  test.each<[string, string, Wish, string, string]>([
    ['a read where no origin is allowed', own, {}, 'same-origin', 'follow'],
    ['a HEAD is a read', own, { method: 'HEAD' }, 'same-origin', 'follow'],
    ['a read where one is', own, ALLOWED, 'cors', 'follow'],
    ['a read of another origin', foreign, ALLOWED, 'cors', 'follow'],
    ['a read of an origin that the template names alone', foreign, {}, 'cors', 'follow'],
    ['a secret of one’s own origin', own, { ...SECRET, ...ALLOWED }, 'same-origin', 'follow'],
    ['a secret for another origin', foreign, { ...SECRET, ...ALLOWED }, 'cors', 'manual'],
    ['a header of the page’s own', own, { ...KEY, ...ALLOWED }, 'same-origin', 'follow'],
    ['a header of the page’s for another origin', foreign, { ...KEY, ...ALLOWED }, 'cors', 'manual'],
    ['headers that go anywhere', own, { ...ANYWHERE, ...ALLOWED }, 'cors', 'follow'],
    ['one of them that is long', own, { ...LONG, ...ALLOWED }, 'same-origin', 'follow'],
    ['a type of body that does not', own, { ...JSON_TYPE, ...ALLOWED }, 'same-origin', 'follow'],
    ['a write where no origin is allowed', own, { method: 'PUT' }, 'same-origin', 'manual'],
    ['a write to another origin', foreign, { method: 'POST', ...ALLOWED }, 'cors', 'manual'],
    ['any other method', own, { method: 'PROPFIND' }, 'same-origin', 'manual'],
  ])('%s', (_name, url, wish, mode, redirect) => {
    const { invocation } = order({ url, documentUrl: `${PAGE}/`, ...wish });
    expect(confine(invocation, url)).toEqual({ mode, redirect });
  });

  test('a secret may be of the page’s own naming', () => {
    const wish = {
      headers: [['X-Key', 'a']] as const,
      policy: { origins: [FOREIGN], secretHeaders: ['x-key'] },
    };
    const { invocation } = order(wish);
    expect(confine(invocation, `${PAGE}/photo`).mode).toBe('same-origin');
  });
});

describe('what comes back', () => {
  test('a redirect that the browser hides fails a write', async () => {
    const stage = new Stage(() => from('', respond(null), 'opaqueredirect'));
    expect(await stage.send(order({ method: 'PUT' }))).toMatchObject({
      kind: 'failed',
      failure: { code: 'redirected', message: expect.stringContaining('it is a write') },
      answer: null,
    });
  });

  test('and a read that carries secrets to another origin', async () => {
    const stage = new Stage(() => from('', respond(null), 'opaqueredirect'));
    const wish = { url: `${FOREIGN}/`, documentUrl: `${PAGE}/`, ...SECRET, ...ALLOWED };
    expect(await stage.send(order(wish))).toMatchObject({
      failure: { code: 'redirected', message: expect.stringContaining('to another origin') },
    });
  });

  test('an answer of an origin that is not allowed is discarded unread', async () => {
    const statuses: number[] = [];
    const stage = new Stage(() => from('https://evil.example/x', respond('secret')));
    const exchanged = await stage.send(order(ALLOWED), { sent: (status) => void statuses.push(status) });
    expect(exchanged).toMatchObject({
      kind: 'failed',
      failure: { code: 'blocked-url', message: expect.stringContaining('https://evil.example/x') },
      answer: null,
    });
    expect(statuses).toEqual([]);
    expect(stage.requests[0]?.init.signal?.aborted).toBe(true);
  });

  test('an answer of an allowed origin is taken', async () => {
    const stage = new Stage(() => from(`${FOREIGN}/x`, respond('fine')));
    expect(await stage.send(order(ALLOWED))).toMatchObject({ kind: 'answered' });
  });

  test('an answer of the origin that was asked is taken, though it is not named', async () => {
    const stage = new Stage(() => from(`${FOREIGN}/x`, respond('fine')));
    const wish = { url: `${FOREIGN}/photo`, documentUrl: `${PAGE}/` };
    expect(await stage.send(order(wish))).toMatchObject({ kind: 'answered' });
  });

  test('an origin may be allowed with a path or a slash behind it', async () => {
    const stage = new Stage(() => from(`${FOREIGN}/x`, respond('fine')));
    expect(await stage.send(order({ policy: { origins: [`${FOREIGN}/`] } }))).toMatchObject({
      kind: 'answered',
    });
  });
});
