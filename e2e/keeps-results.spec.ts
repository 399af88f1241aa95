import { expect, test } from './test.ts';

test.describe('result', () => {
  test('may be asked for again, later and by several', async ({ page, server }) => {
    const outcome = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/photo/{id}' },
        bad: { method: 'GET', url: '/status/500' },
      });
      const { ending } = window.witness;
      const [id, bad] = [photo.get({ id: 1 }), photo.bad()];
      const [one, two] = await Promise.all([photo.result(id), photo.result(id)]);
      const later = await photo.result(id);
      const failures = [await ending(photo.result(bad)), await ending(photo.result(bad))];
      const unknown = await ending(photo.result(123_456));
      return { same: one === two && two === later, one, codes: failures.map(({ code }) => code), unknown };
    });
    expect(outcome).toMatchObject({ same: true, one: { url: '/photo/1' }, codes: ['http', 'http'] });
    expect(outcome.unknown).toMatchObject({ code: 'unknown-invocation' });
    expect(server.journal.of('/photo/1').length).toBe(1);
  });

  test('is known of the last thousand', async ({ page }) => {
    const codes = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/{id}' } });
      const { ending } = window.witness;
      const ids = Array.from({ length: 1_001 }, () => photo.get({ id: '..' }));
      await Promise.all(ids.map((id) => ending(photo.result(id))));
      const again = [0, 1, 1_000].map((index) => ending(photo.result(ids[index] ?? 0)));
      return (await Promise.all(again)).map(({ code }) => code);
    });
    expect(codes).toEqual(['unknown-invocation', 'blocked-url', 'blocked-url']);
  });

  test('makes an unhandled rejection only where it was asked for', async ({ page, uncaught }) => {
    const failed = await page.evaluateHandle(async () => {
      const photo = new window.offstage.Resource({ bad: { method: 'GET', url: '/status/500' } });
      const id = await new Promise<number>((resolve) => {
        photo.addListener('error', (event) => resolve(event.id));
        photo.bad();
      });
      await window.witness.ending(photo.result(id));
      // An unhandled rejection is reported at the end of the turn in which nobody took it.
      await new Promise((resolve) => void setTimeout(resolve));
      return { photo, id };
    });
    expect(uncaught).toEqual([]);
    await failed.evaluate(({ photo, id }) => void photo.result(id));
    await expect.poll(() => uncaught.join()).toContain('was answered with status 500');
    uncaught.length = 0;
  });
});
