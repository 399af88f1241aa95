import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import { parsed } from '../contracts/read-body.ts';
import { EngineStage, gist } from './engine.fixture.ts';

/**
 * "Answers of one read that are dropped since a write came before: 3" (docs/guide/limits.md). There is one write here:
 * the other answers are dropped since a later read was answered first.
 */
test('a read whose answers were dropped for newer reads does not tell what was before a write', async () => {
  const open: ((response: Response) => void)[] = [];
  const stage = new EngineStage(() => new Promise((resolve) => open.push(resolve)));
  let asked = 0;
  const out = async (): Promise<(value: string) => void> => {
    await until(() => open.length > asked);
    const answer = open[(asked += 1) - 1];
    return (value) => answer?.(json([value], { 'Cache-Control': 'no-store' }));
  };
  const slow = stage.tick({ reading: { kind: 'parsed' } });
  let answer = await out();
  for (let time = 0; time < 3; time += 1) {
    const call = stage.call();
    (await out())('state');
    await call;
    answer('state');
    answer = await out();
  }
  const put = stage.call({ method: 'PUT' });
  (await out())('put');
  await put;
  answer('before');
  const again = out().then((tell) => tell('after'));
  expect(gist(parsed(await slow))).toEqual(['after']);
  await again;
});
