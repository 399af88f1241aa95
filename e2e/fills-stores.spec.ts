import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

test.describe('a store', () => {
  test('has the newest answer as its model, and tells when that changes', async ({ page, server }) => {
    const stored = await page.evaluateHandle(() => {
      const { Resource, RestStore, ChangeModelEvent } = window.offstage;
      const photo = new Resource({
        list: { method: 'GET', url: '/etag' },
        other: { method: 'GET', url: '/echo' },
      });
      const store = new RestStore(photo, 'list');
      const changes: unknown[] = [];
      store.addEventListener('changeModel', (event) => {
        if (!(event instanceof ChangeModelEvent)) return;
        const { value, old } = event;
        const same = [event.getData() === value, event.getOldData() === old, store.model === value];
        changes.push({ value, old, same });
      });
      const start = [store.model, store.getModel(), store.getSnapshot(), changes.length];
      return { photo, store, changes, start, own: [store.resource === photo, store.actionName] };
    });
    const { start, own } = await stored.evaluate((each) => ({ start: each.start, own: each.own }));
    expect([...start, ...own]).toEqual([null, null, null, 0, true, 'list']);

    const invoke = (action: 'list' | 'other'): Promise<unknown> =>
      stored.evaluate(({ photo }, name) => photo.result(photo.invoke(name)), action);
    await invoke('list');
    await invoke('other');
    await stored.evaluate(({ photo }) => photo.result(photo.refresh('list') ?? 0));
    server.versions.set('/etag', 2);
    await invoke('list');
    server.on('GET /etag', (exchange) => sendJson(exchange, { error: 'busy' }, {}, 503));
    await stored.evaluate(({ photo }) => window.witness.ending(photo.result(photo.list())));
    server.on('GET /etag', ({ response }) => void response.writeHead(204).end());
    expect(await invoke('list')).toBeNull();
    const outcome = await stored.evaluate(({ store, changes, photo }) => {
      store.dispose();
      return { changes, model: [store.model, store.getSnapshot()], last: photo.list() };
    });
    const same = [true, true, true];
    expect(outcome.changes).toEqual([
      { value: { version: 1 }, old: null, same },
      { value: { version: 2 }, old: { version: 1 }, same },
    ]);
    expect(outcome.model).toEqual([{ version: 2 }, { version: 2 }]);
  });

  test('follows a poll, and gives its model to whoever binds or subscribes, until they leave', async ({
    page,
    server,
  }) => {
    const stored = await page.evaluateHandle(() => {
      const { Resource, RestStore } = window.offstage;
      const photo = new Resource({ list: { method: 'GET', url: '/etag' } });
      const store = new RestStore(photo, 'list');
      const set: unknown[] = [];
      const target = {
        property: 'untouched' as unknown,
        deep: { er: { model: 'untouched' as unknown } },
        setModel: (model: unknown): void => void set.push(model),
      };
      const taken: unknown[] = [];
      const observed: unknown[] = [];
      const called: unknown[] = [];
      const ends = [
        store.bind('model', target, 'property'),
        store.bind('model', target, 'deep.er.model'),
        store.bind('model', target, 'model'),
        store.bind('model', target, (model) => taken.push(model)),
        store.subscribe((model) => called.push(model)),
      ];
      const { getSnapshot, subscribe } = store;
      const subscription = subscribe({ next: (model) => observed.push(model) });
      const first = structuredClone({ target: [target.property, target.deep], set, taken, called, observed });
      const loop = photo.poll('list', {}, { interval: 100 });
      return { store, target, set, taken, called, observed, ends, subscription, first, getSnapshot, loop };
    });
    expect(await stored.evaluate(({ first }) => first)).toEqual({
      target: [null, { er: { model: null } }],
      set: [null],
      taken: [null],
      called: [null],
      observed: [null],
    });
    await expect.poll(() => stored.evaluate(({ store }) => store.model)).toEqual({ version: 1 });
    server.versions.set('/etag', 2);
    await expect.poll(() => stored.evaluate(({ store }) => store.model)).toEqual({ version: 2 });
    const seen = await stored.evaluate((each) => {
      const { ends, subscription, store, getSnapshot } = each;
      for (const end of ends) end();
      subscription.unsubscribe();
      subscription();
      return { ...shown(), same: getSnapshot() === store.model };

      function shown(): Record<string, unknown> {
        const { target, set, taken, called, observed } = each;
        return structuredClone({
          property: target.property,
          deep: target.deep,
          set,
          taken,
          called,
          observed,
        });
      }
    });
    const all = [null, { version: 1 }, { version: 2 }];
    expect(seen).toEqual({
      property: { version: 2 },
      deep: { er: { model: { version: 2 } } },
      same: true,
      set: all,
      taken: all,
      called: all,
      observed: all,
    });
    server.versions.set('/etag', 3);
    await expect.poll(() => stored.evaluate(({ store }) => store.model)).toEqual({ version: 3 });
    const after = await stored.evaluate(({ target, set, called, observed, taken }) => ({
      property: target.property,
      counts: [set, called, observed, taken].map((each) => each.length),
    }));
    expect(after).toEqual({ property: { version: 2 }, counts: [3, 3, 3, 3] });
  });

  test('asks its delegate what to send and what to make of the answer', async ({ page, server }) => {
    const outcome = await page.evaluate(async () => {
      const { Resource, RestStore } = window.offstage;
      const photo = new Resource({
        list: { method: 'GET', url: '/photo/list' },
        other: { method: 'GET', url: '/photo/other' },
      });
      photo.configureRequest((request) => request.setRequestHeader('X-All', 'yes'));
      const store = new RestStore(photo, 'list', {
        configureRequest: (request) => request.setRequestHeader('X-Store', 'yes'),
        manipulateData: (response) => Object.assign(Object(response), { mine: true }),
      });
      const answers = [await photo.result(photo.list()), await photo.result(photo.other())];
      const { thrown } = window.witness;
      const wrong = [
        window.witness.misused(store, 'bind', 'stats', {}, 'x'),
        thrown(() => store.bind('model', {}, '')),
        thrown(() => store.bind('model', {}, 'no.where')),
      ];
      store.dispose();
      await photo.result(photo.list());
      return { model: store.model, answers, wrong };
    });
    expect(outcome.model).toMatchObject({ url: '/photo/list', mine: true });
    expect(outcome.answers[0]).not.toHaveProperty('mine');
    for (const each of outcome.wrong) expect(each).toContain('TypeError');
    expect(server.journal.entries.map(({ headers }) => [headers['x-all'], headers['x-store']])).toEqual([
      ['yes', 'yes'],
      ['yes', undefined],
      ['yes', undefined],
    ]);
  });
});
