import { expect, test } from 'vitest';
import type { RequestBody } from '../../shared/invocation.ts';
import { contentOf } from '../outbox/entry.ts';
import { named } from './write.ts';
import type { OptimisticWrite } from './write.ts';

const [ONE, TWO] = ['1', '2'].map((digit) => `temporary-${digit.repeat(32)}`);

/** What is shown of such a body once the ids are known: one after the other, as their servers give them. */
function shown(body: RequestBody, type: string): OptimisticWrite {
  const params = [['map', { pairs: [[`${ONE}`, `${ONE}`]] }]] as const;
  const content = contentOf({ params, headers: [['Content-Type', type]], body });
  const write = { action: 'a', ...content, temporaryId: null, entry: null };
  const first = named(write, (id) => (id === ONE ? 7 : undefined));
  return named(first, (id) => (id === TWO ? 8 : undefined));
}

// The worker puts texts into forms and URLs, and leaves the names of fields; a later life of the page is told exactly that.
test('a form has the texts that are sent, and its fields keep their names', async () => {
  const fields = { album: `${ONE}`, [`${ONE}`]: 'x', cover: `${TWO}` };
  const expected = { album: '7', [`${ONE}`]: 'x', cover: '8' };
  const text = new URLSearchParams(fields).toString();
  const type = 'application/x-www-form-urlencoded';
  expect(shown({ kind: 'query', text }, type).data).toEqual(expected);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const sent = new Response(form);
  const bytes = await sent.clone().arrayBuffer();
  expect(shown({ kind: 'bytes', bytes }, sent.headers.get('content-type') ?? '').data).toEqual(expected);
});

test('JSON has ids as their servers give them, and as names of members', () => {
  const text = JSON.stringify({ album: ONE, [`${ONE}`]: [TWO] });
  const { data, params } = shown({ kind: 'text', text }, 'application/json');
  expect(data).toEqual({ album: 7, 7: [8] });
  expect(params).toEqual({ map: { [`${ONE}`]: '7' } });
});
