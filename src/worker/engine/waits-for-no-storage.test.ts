import { expect, test } from 'vitest';
import { parsed } from '../contracts/read-body.ts';
import { json } from '../platform/system.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';

/**
 * "Storage that fails, hangs or is late is neither taken for empty nor waited for: ... calls go to the network."
 * A transaction that hangs is given up after 2 s.
 */
test.each([1, 20_000])(
  'a call that its server has answered in time is told the answer though the storage hangs: %i rows',
  async (rows) => {
    const list = Array.from({ length: rows }, () => 'it');
    const stage = new EngineStage(() => json(list));
    const { clock } = stage.system;
    stage.responses.find = async () => {
      await clock.sleep(2_000);
      return { kind: 'unknown', error: new Error('late') };
    };
    const call = stage.call({ policy: { revalidate: false, timeout: 1_000 } });
    await clock.advance(5_000);
    expect(gist(parsed(await call))).toEqual(list);
  },
);

test('a call for what is fresh is answered by its server though the storage hangs since', async () => {
  const stage = new EngineStage(() =>
    json([stage.system.requests.length], { 'Cache-Control': 'max-age=60' }),
  );
  const { clock } = stage.system;
  const policy = { revalidate: false };
  await stage.call({ policy });
  stage.responses.find = async () => {
    await clock.sleep(2_000);
    return { kind: 'unknown', error: new Error('late') };
  };
  const call = stage.call({ policy });
  await clock.advance(300);
  expect(stage.system.requests).toHaveLength(2);
  await clock.advance(5_000);
  expect(gist(parsed(await call))).toEqual([2]);
});

test('a call joins none that has got no answer, while what is stored is looked up in its place', async () => {
  let isCut = true;
  const stage = new EngineStage(() => {
    if (isCut) throw new TypeError('no network');
    return json(['it']);
  });
  const { clock } = stage.system;
  stage.responses.find = async () => {
    await clock.sleep(2_000);
    return { kind: 'unknown', error: new Error('late') };
  };
  const policy = { revalidate: false };
  const first = stage.call({ policy });
  // It has asked after a while, in vain, and looks into the storage once more.
  for (let turn = 0; turn < 50 && stage.system.requests.length === 0; turn += 1) await clock.advance(100);
  isCut = false;
  const second = stage.call({ policy });
  await clock.advance(10_000);
  expect(gist(parsed(await second))).toEqual(['it']);
  expect((await first).kind).toBe('failed');
});
