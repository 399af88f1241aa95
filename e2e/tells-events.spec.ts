import type { RestResource } from 'offstage';
import { expect, test } from './test.ts';

test.describe('events', () => {
  test('come in order: the action’s own first, started after the call has returned', async ({ page }) => {
    const heard = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/echo' },
        put: { method: 'PUT', url: '/status/500' },
      });
      const named: RestResource = photo;
      const order: string[] = [];
      const steps = ['started', 'sent', 'progress', 'success', 'error'];
      const own = ['get', 'put'].flatMap((action) =>
        steps.map((step) => action + step.charAt(0).toUpperCase() + step.slice(1)),
      );
      for (const type of [...steps, ...own]) named.addListener(type, (event) => order.push(event.type));
      const get = photo.get();
      order.push('returned');
      await photo.result(get);
      const first = order.splice(0);
      const put = photo.put();
      order.push('returned');
      await window.witness.ending(photo.result(put));
      // An answer that takes its time is told of in several steps.
      return [...new Set(first), ...new Set(order)];
    });
    expect(heard).toEqual([
      'returned',
      'getStarted',
      'started',
      'getSent',
      'sent',
      'getProgress',
      'progress',
      'getSuccess',
      'success',
      'returned',
      'putStarted',
      'started',
      'putSent',
      'sent',
      'putProgress',
      'progress',
      'putError',
      'error',
    ]);
  });

  test('reach only the listeners of their own action and resource, as long as these listen', async ({
    page,
  }) => {
    const heard = await page.evaluate(async () => {
      const { Resource } = window.offstage;
      const description = {
        get: { method: 'GET', url: '/echo' },
        list: { method: 'GET', url: '/echo/list' },
        bad: { method: 'GET', url: '/status/500' },
      } as const;
      const photo = new Resource(description);
      const other = new Resource(description);
      const others = window.witness.record(other, 'getSuccess', 'success', 'error');
      const lists = window.witness.record(photo, 'listSuccess', 'listError', 'getError');
      const counts = { removed: 0, returned: 0, once: 0, signal: 0, object: 0 };
      const removed = (): void => void (counts.removed += 1);
      const end = new AbortController();
      photo.addListener('getSuccess', removed);
      const leave = photo.addListener('success', () => (counts.returned += 1));
      photo.addEventListener('getSuccess', () => (counts.once += 1), { once: true });
      photo.addEventListener('getSuccess', () => (counts.signal += 1), { signal: end.signal });
      photo.addEventListener('success', { handleEvent: () => void (counts.object += 1) });
      await photo.result(photo.get());
      photo.removeListener('getSuccess', removed);
      leave();
      end.abort();
      await photo.result(photo.get());
      await window.witness.ending(photo.result(photo.bad()));
      return { counts, others, lists };
    });
    expect(heard.counts).toEqual({ removed: 1, returned: 1, once: 1, signal: 1, object: 2 });
    expect([...heard.others, ...heard.lists]).toEqual([]);
  });

  test('tell everything about the request and its answer', async ({ page, server }) => {
    const event = await page.evaluate(async () => {
      const { Resource, RestEvent } = window.offstage;
      const photo = new Resource({ get: { method: 'GET', url: '/photo/{id}{?size}' } });
      const events: unknown[] = [];
      for (const type of ['started', 'getSuccess', 'success'] as const) {
        photo.addListener(type, (each) => {
          const { action, id, response, phase, status, servedFrom, stale, age, changed, error } = each;
          const { loaded, total, lengthComputable, revision, request, headers } = each;
          const { method, url, params, data } = request;
          const accept = request.headers.get('accept');
          events.push({
            type: each.type,
            action,
            id,
            phase,
            status,
            servedFrom,
            stale,
            age,
            changed,
            error,
            response,
            loaded,
            total,
            lengthComputable,
            revision,
            request: { method, url, params, data, accept },
            contentType: headers.get('content-type'),
            kinds: [each instanceof RestEvent, each instanceof Event, headers instanceof Headers],
            accessors: [
              each.getAction() === action,
              each.getId() === id,
              each.getData() === response,
              each.getRequest() === request,
              each.getPhase() === phase,
            ],
          });
        });
      }
      const id = photo.get({ id: 1, size: 'large' }, { q: 'x' });
      await photo.result(id);
      return { id, events };
    });
    const common = {
      action: 'get',
      id: event.id,
      stale: false,
      age: 0,
      error: null,
      loaded: 0,
      total: null,
      lengthComputable: false,
      kinds: [true, true, true],
      accessors: [true, true, true, true, true],
    };
    const request = { method: 'GET', params: { id: 1, size: 'large' }, data: { q: 'x' } };
    const answered = {
      ...common,
      phase: 'success',
      status: 200,
      servedFrom: 'network',
      changed: true,
      revision: { lineage: expect.any(String), number: 1 },
      response: expect.objectContaining({ url: '/photo/1?size=large&q=x' }),
      request: {
        ...request,
        url: `${server.url}/photo/1?size=large&q=x`,
        accept: 'application/json, */*;q=0.5',
      },
      contentType: 'application/json',
    };
    expect(event.events).toEqual([
      {
        ...common,
        type: 'started',
        phase: 'opened',
        status: 0,
        servedFrom: null,
        changed: false,
        revision: null,
        response: null,
        contentType: null,
        request: { ...request, url: '/photo/{id}{?size}', accept: null },
      },
      { ...answered, type: 'getSuccess' },
      { ...answered, type: 'success' },
    ]);
  });
});
