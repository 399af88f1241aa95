import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Resource } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { QueueingPage } from './queueing-page.fixture.ts';
import { WRITE } from './write.fixture.ts';

const GUIDE = readFileSync(new URL('../../../docs/guide/writing-offline.md', import.meta.url), 'utf8');

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => page.leave());

/** The block of code that contains this text, as its readers would copy it. */
function snippet(contained: string): string {
  const blocks = [...GUIDE.matchAll(/^```js\n(.*?)^```/gms)].map(([, code = '']) => code);
  const found = blocks.find((code) => code.includes(contained));
  return (found ?? '').replace(/^import .*$/m, '');
}

test('the first example sends what the servers of the guide read, and shows it in words', async () => {
  const shown: unknown[] = [];
  const connected = new Proxy(Resource, {
    construct: (target, [description, options]: [unknown, object]) =>
      Reflect.construct(target, [description, { ...options, connection: page.connection }]),
  });
  const code = snippet("photos.create(null, { title: 'Dusk' })") + snippet("'createQueued', ({ id, entry })");
  runInNewContext(code, { Resource: connected, show: (text: unknown) => shown.push(text) });
  await flush();
  const { id, ticket, invocation } = page.submitted;
  const { params, headers, body } = invocation;
  expect(headers).toContainEqual(['Content-Type', 'application/json']);
  expect(body).toEqual({ kind: 'text', text: '{"title":"Dusk"}' });
  await page.tellQueued(id, { ...WRITE, ...ticket, params, headers, body });
  expect(shown).toEqual(['Waits: Dusk']);
});
