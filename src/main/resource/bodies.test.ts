import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { RestStore } from '../store/rest-store.ts';
import { eventsOf, rowsUpTo, WindowStage } from '../store/window.fixture.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => page.leave());

/** A polled list of which the page wants a window. */
async function windowed(): Promise<WindowStage> {
  const stage = new WindowStage(page);
  stage.store.window(0, 1);
  stage.change(rowsUpTo(3));
  stage.poll();
  await flush();
  return stage;
}

describe('a loop brings whole answers', () => {
  test('to a page without windows, whether anybody listens or not', async () => {
    const stage = new WindowStage(page);
    stage.store.dispose();
    stage.poll();
    await flush();
    expect(stage.wantsBodies).toBe(true);
  });

  test.each(['success', 'listSuccess', 'started', 'sent', 'listProgress'] as const)(
    'where somebody listens for `%s`, beside windows',
    async (type) => {
      const stage = await windowed();
      expect(stage.wantsBodies).toBe(false);
      const remove = stage.photo.addListener(type, () => {});
      await flush();
      expect(stage.wantsBodies).toBe(true);
      remove();
      await flush();
      expect(stage.wantsBodies).toBe(false);
    },
  );

  test('where another store wants the whole', async () => {
    const stage = await windowed();
    const other = new RestStore(stage.photo, 'list');
    await stage.tick();
    expect([other.model, stage.store.model]).toEqual([rowsUpTo(3), rowsUpTo(3)]);
    other.dispose();
    await flush();
    expect(stage.wantsBodies).toBe(false);
  });

  test('no more where a listener was there for one event', async () => {
    const stage = await windowed();
    const heard: unknown[] = [];
    stage.photo.addEventListener('success', () => heard.push(stage.n), { once: true });
    await stage.tick();
    await stage.tick();
    await stage.tick();
    expect([heard, stage.wantsBodies]).toEqual([[1], false]);
  });
});

test('an answer that stays with the worker is no event', async () => {
  const stage = await windowed();
  const heard: unknown[] = [];
  for (const type of ['listError', 'error', 'reset'] as const)
    stage.photo.addListener(type, () => heard.push(type));
  const events = eventsOf(stage.photo);
  await stage.tick();
  expect([heard, events]).toEqual([[], []]);
  expect(stage.store.status).toMatchObject({ servedFrom: 'network', stale: false, age: 0 });
  expect(stage.store.status.nextPollAt).toBe(Date.now() + 5_000);
});

test('one that was on its way when somebody began to listen is none either', async () => {
  const stage = await windowed();
  await stage.tick();
  const heard: unknown[] = [];
  const ticked = stage.tick();
  stage.photo.addListener('success', ({ response }) => heard.push(response));
  await ticked;
  expect(heard.filter((response) => response === null)).toEqual([]);
});

test('the result of a tick that was heard of does not hang', async () => {
  const stage = await windowed();
  const ids: number[] = [];
  const remove = stage.photo.addListener('started', ({ id }) => ids.push(id));
  const loop = page.host.life.told('declare').at(-1)?.declaration.loop ?? 0;
  await page.host.life.deliver({ kind: 'ticking', loop });
  await flush();
  const result = stage.photo.result(ids[0] ?? 0).catch((error: unknown) => error);
  remove();
  await stage.tick();
  expect(await result).toMatchObject({ code: 'aborted' });
});
