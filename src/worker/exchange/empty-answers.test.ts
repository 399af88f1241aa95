import { expect, test } from 'vitest';
import { order, Stage } from './order.fixture.ts';

test('an answer without content has none, whatever length it names', async () => {
  const stage = new Stage(() => new Response(null, { status: 204, headers: { 'Content-Length': '2' } }));
  expect(await stage.send(order({ method: 'PUT' }))).toMatchObject({
    kind: 'answered',
    answer: { status: 204, body: { value: null } },
  });
});
