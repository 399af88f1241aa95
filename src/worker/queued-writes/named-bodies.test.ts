import { beforeEach, expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { unreachable } from '../platform/system.fixture.ts';
import { askedOf, CREATES, made, TEMPORARY } from './named-writes.fixture.ts';
import { OutboxStage, rounds, waitFor } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

let stage: OutboxStage;
let tab: OutboxTab;

beforeEach(() => {
  stage = new OutboxStage();
  tab = stage.open();
});

async function multipart(form: FormData): Promise<Wish> {
  const response = new Response(form);
  const bytes = await response.arrayBuffer();
  const type = response.headers.get('Content-Type') ?? '';
  return { headers: [['Content-Type', type]], body: { kind: 'bytes', bytes } };
}

/** The text of the last body that was sent as bytes. */
function sent(): string {
  const body = stage.world.requests.at(-1)?.init.body;
  return body instanceof ArrayBuffer ? new TextDecoder().decode(body) : '';
}

test('a plain call with a form with files names the id', async () => {
  const form = new FormData();
  form.append('album', TEMPORARY);
  form.append('cover', new Blob(['x']), 'x.png');
  stage.answer = () => made(7);
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.heard('entry-1 done');
  const upload = { method: 'POST', template: '/upload', ...(await multipart(form)) };
  await tab.call(51, upload);
  expect(sent()).toContain('\r\n\r\n7\r\n');
});

test('JSON that was given as bytes waits for what it names', async () => {
  stage.answer = unreachable;
  await tab.queue(1, 'Dusk', {}, CREATES);
  await stage.failed(tab, 1);
  const bytes = new TextEncoder().encode(`{"album":"${TEMPORARY}"}`).buffer;
  const headers = [['Content-Type', 'application/json']] as const;
  const cover: Wish = { method: 'PUT', template: '/cover', headers, body: { kind: 'bytes', bytes } };
  await tab.queue(2, '', cover, { lane: 'b' });
  await rounds();
  expect(askedOf(stage)).not.toContain('PUT /cover');
  stage.answer = () => made(7);
  await waitFor(stage, 60_000);
  await tab.heard('entry-2 done');
  expect(sent()).toBe('{"album":7}');
});
