import { expect, test } from './test.ts';

test.describe('events', () => {
  test('show no secrets', async ({ page }) => {
    const outcome = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const connection = connect({ serviceWorker: '/service-worker.js', secretHeaders: ['X-Api-Key'] });
      const photo = new Resource(
        { get: { method: 'GET', url: '/echo' }, bad: { method: 'GET', url: '/status/401' } },
        { connection },
      );
      photo.configureRequest((request) => {
        request.setRequestHeader('authorization', 'Bearer swordfish');
        request.setRequestHeader('x-api-key', 'swordfish');
        request.setRequestHeader('X-Open', 'book');
      });
      const shown: unknown[] = [];
      for (const type of ['success', 'error'] as const)
        photo.addListener(type, ({ request }) => shown.push([...request.headers]));
      const answer = await photo.result(photo.get());
      const error = await window.witness.ending(photo.result(photo.bad()));
      return { shown, answer, error, state: await connection.inspect() };
    });
    expect(outcome.answer).toMatchObject({ headers: { authorization: 'Bearer swordfish' } });
    expect(outcome.answer).toMatchObject({ headers: { 'x-api-key': 'swordfish', 'x-open': 'book' } });
    const { shown, error, state } = outcome;
    expect(shown.length).toBe(2);
    expect(JSON.stringify({ shown, error, state })).not.toContain('swordfish');
    for (const headers of shown) expect(headers).toContainEqual(['x-open', 'book']);
    for (const headers of shown) expect(headers).toContainEqual(['authorization', 'redacted']);
  });
});
