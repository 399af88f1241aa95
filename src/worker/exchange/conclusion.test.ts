import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { conclude } from './body.ts';

const TYPE = 'application/problem+json';

function refusal(text: string): ReturnType<typeof conclude> {
  const bytes = new TextEncoder().encode(text).buffer;
  return conclude('GET /photos', 500, [['content-type', TYPE]], bytes, 'checked');
}

test('the body of an error is parsed up to its limit', () => {
  const title = 'x'.repeat(LIMITS.errorSize - '{"title":""}'.length);
  const { answer, failure } = refusal(JSON.stringify({ title }));
  expect(failure).toMatchObject({ code: 'http', status: 500, body: { title } });
  expect(answer.body).toMatchObject({ kind: 'value', value: { title } });
});

test('a larger one is told as bytes, and holds up nobody', () => {
  const { answer, failure } = refusal(JSON.stringify('x'.repeat(LIMITS.errorSize)));
  expect(failure).toMatchObject({ code: 'http', status: 500, body: null });
  expect(answer.body).toMatchObject({ kind: 'bytes', type: TYPE });
});
