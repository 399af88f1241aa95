import type { JSHandle, Page } from '@playwright/test';
import type { Resource } from 'offstage';
import type { Heard } from './page/witness.ts';
import { expect, test } from './test.ts';

test.describe('two tabs', () => {
  test('each get their own answers and events, and none of the other’s', async ({
    page,
    openTab,
    server,
  }) => {
    const tab = await openTab();
    const [one, two] = await Promise.all([listen(page), listen(tab)]);
    const ids = await Promise.all(
      (
        [
          [one, 'one'],
          [two, 'two'],
        ] as const
      ).map(([handle, key]) =>
        handle.evaluate(
          ({ photo }, id) => [photo.invoke('get', { id }), photo.invoke('bad'), photo.invoke('held', { id })],
          key,
        ),
      ),
    );
    await expect.poll(() => server.journal.open('/hold').length).toBe(2);
    await one.evaluate(({ photo }) => photo.abort('held'));
    await expect.poll(() => server.journal.open('/hold').length).toBe(1);
    expect(server.release('two', '"held"')).toBe(1);

    for (const [handle, own, key, held] of [
      [one, ids[0], 'one', 'aborted'],
      [two, ids[1], 'two', null],
    ] as const) {
      await expect.poll(() => handle.evaluate(({ heard }) => heard.length)).toBe(3);
      const heard = await handle.evaluate((each) => each.heard);
      expect(new Set(heard.map(({ id }) => id))).toEqual(new Set(own));
      expect(heard.find(({ action }) => action === 'get')).toMatchObject({
        response: { url: `/photo/${key}` },
      });
      expect(heard.find(({ action }) => action === 'bad')).toMatchObject({ status: 500 });
      expect(heard.find(({ action }) => action === 'held')).toMatchObject({ code: held });
    }
  });
});

type Listening = JSHandle<{ readonly photo: Resource; readonly heard: readonly Heard[] }>;

function listen(page: Page): Promise<Listening> {
  return page.evaluateHandle(() => {
    const photo = new window.offstage.Resource({
      get: { method: 'GET', url: '/photo/{id}' },
      bad: { method: 'GET', url: '/status/500' },
      held: { method: 'GET', url: '/hold?key={id}' },
    });
    return { photo, heard: window.witness.record(photo, 'success', 'error') };
  });
}
