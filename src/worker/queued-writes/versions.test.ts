import { describe, expect, test } from 'vitest';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { decide } from './named-writes.fixture.ts';
import { bodyOf, EDIT, goOn, OutboxStage, OutboxTab, rounds, waitFor } from './outbox-stage.fixture.ts';

const PUT = { method: 'PUT', template: '/photo/7' };

/** A read has brought an ETag. */
async function stored(stage: OutboxStage, tab: OutboxTab): Promise<void> {
  const serve = stage.answer;
  stage.answer = () => json({ id: 7 }, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.call(50);
  stage.answer = serve;
}

/** A form that was opened before a conflict saves. */
const TYPED = { ...EDIT, key: 'key-8', body: { kind: 'text', text: 'typed' }, isOfConflict: false } as const;

function saidVersions({ world }: OutboxStage): (string | null)[] {
  const writes = world.requests.filter(({ init }) => init.method === 'PUT');
  return writes.map(({ headers }) => headers.get('If-Match'));
}

describe('If-Match', () => {
  test('is not that of before our own queued write', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await stored(stage, tab);
    await tab.queue(1, 'one', PUT);
    await tab.heard('entry-1 done');
    await waitFor(stage, 5_000);
    stage.answer = ({ headers }) =>
      headers.get('If-Match') === '"a"' ? json({}, { ETag: '"b"' }, 412) : null;
    await tab.queue(2, 'two', PUT);
    await until(() => tab.told.length > 1);
    expect(tab.told).toEqual(['entry-1 done', 'entry-2 done']);
  });

  test('is not that of before our own plain write', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await stored(stage, tab);
    await tab.call(60, { ...PUT, body: { kind: 'text', text: 'plain' } });
    stage.answer = ({ headers }) =>
      headers.get('If-Match') === '"a"' ? json({}, { ETag: '"b"' }, 412) : null;
    await tab.queue(2, 'two', PUT);
    await until(() => tab.told.length > 0);
    expect(tab.told).toEqual(['entry-2 done']);
  });

  test('is that of our own write before it, though somebody tries it again meanwhile', async () => {
    const wrong: unknown[] = [];
    for (let turns = -12; turns < 16; turns += 1) {
      const stage = new OutboxStage();
      const tab = stage.open();
      await stored(stage, tab);
      const first = new Deferred();
      let etag = '"a"';
      stage.answer = async ({ headers }) => {
        if (etag === '"a"') await first.promise;
        if (headers.get('If-Match') !== etag) return json({}, { ETag: etag }, 412);
        etag = etag === '"a"' ? '"b"' : '"c"';
        return json({}, { ETag: etag });
      };
      await tab.queue(1, 'one', PUT);
      await tab.queue(2, 'two', PUT);
      // Somewhat earlier, or somewhat later, than the first one ends.
      const steps = [
        () => first.resolve(),
        () => void tab.remote.control({ kind: 'decide', entry: 'entry-2', decision: { kind: 'retry' } }),
      ];
      for (const step of turns < 0 ? steps.toReversed() : steps) {
        step();
        for (let turn = 0; turn < Math.abs(turns); turn += 1)
          await new Promise((resolve) => setImmediate(resolve));
      }
      await until(() => tab.told.length > 1);
      if (tab.told.join() !== 'entry-1 done,entry-2 done') wrong.push([turns, tab.told]);
    }
    expect(wrong).toEqual([]);
  });

  test('is that of our own write before it, though that ends while this one is on its way to the disk', async () => {
    const wrong: unknown[] = [];
    for (let turns = 0; turns < 16; turns += 1) {
      const stage = new OutboxStage();
      const tab = stage.open();
      await stored(stage, tab);
      const first = new Deferred();
      let etag = '"a"';
      stage.answer = async ({ headers }) => {
        if (etag === '"a"') await first.promise;
        if (![etag, null].includes(headers.get('If-Match'))) return json({}, { ETag: etag }, 412);
        etag = etag === '"a"' ? '"b"' : '"c"';
        return json({}, { ETag: etag });
      };
      await tab.queue(1, 'one', PUT);
      await rounds(5);
      const queueing = tab.queue(2, 'two', PUT);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      first.resolve();
      await queueing;
      await until(() => tab.told.length > 1);
      if (tab.told.join() !== 'entry-1 done,entry-2 done') wrong.push([turns, tab.told]);
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['of its lane', 'a', 1, 2],
    ['of another lane, which was queued later', 'b', 2, 1],
  ])(
    'is that of our own write before it, though that was never read: one %s',
    async (_case, lane, one, two) => {
      const stage = new OutboxStage();
      const tab = stage.open();
      let [etag, isBusy] = ['"a"', true];
      stage.answer = unreachable;
      for (const id of [1, 2])
        await tab.queue(id, id === one ? 'created' : 'changed', PUT, id === one ? { lane } : {});
      await goOn(stage, 1);
      stage.answer = (seen) => {
        const wanted = seen.headers.get('If-Match');
        if (bodyOf(seen) === 'changed' && isBusy) return json({}, { 'Retry-After': '60' }, 503);
        if (wanted !== null && wanted !== etag) return json({}, { ETag: etag }, 412);
        stage.perform(seen);
        etag = '"b"';
        return json({}, { ETag: etag });
      };
      await goOn(stage, 30);
      await tab.heard(`entry-${one} done`);
      // Somebody else changes what was created.
      etag = '"theirs"';
      isBusy = false;
      await goOn(stage, 90);
      await tab.heard(`entry-${two} conflict`);
      expect(stage.performed).toEqual(['created']);
    },
  );

  test('is not the ETag of what a POST to the same URL has made', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await stored(stage, tab);
    const made = new Deferred<Response>();
    stage.answer = (seen) => (seen.init.method === 'POST' ? made.promise : null);
    await tab.queue(1, 'child', { method: 'POST', template: '/photo/7' });
    await tab.queue(2, 'two', PUT);
    await until(() => stage.world.requests.some(({ init }) => init.method === 'POST'));
    made.resolve(json({ id: 9 }, { ETag: '"of-nine"', Location: '/photo/7/9' }, 201));
    await tab.heard('entry-2 done');
    expect(stage.world.requests.at(-1)?.headers.get('If-Match')).not.toBe('"of-nine"');
  });

  test('is not the ETag of another representation', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    stage.answer = () =>
      new Response('id\n7', {
        headers: { 'Content-Type': 'text/csv', ETag: '"csv"', Vary: 'Accept', 'Cache-Control': 'no-cache' },
      });
    await tab.call(50, { template: '/photo/7', headers: [['Accept', 'text/csv']] });
    stage.answer = () => null;
    await tab.queue(1, 'mine', PUT);
    await tab.heard('entry-1 done');
    expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
  });

  test('is not the ETag that another origin has given to a redirected read', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    stage.answer = () => {
      const response = json({ id: 7 }, { ETag: '"theirs"', 'Cache-Control': 'no-cache' });
      Object.defineProperty(response, 'url', { value: 'https://cdn.example/photo/7' });
      return response;
    };
    const policy = { origins: ['https://cdn.example'] };
    await tab.call(50, { template: '/photo/7', policy });
    stage.answer = () => null;
    await tab.queue(1, 'mine', { ...PUT, policy });
    await tab.heard('entry-1 done');
    expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
  });

  test('is not sent with a POST whose conflict named an ETag of its own', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ why: 'name taken' }, { ETag: '"of-the-error"' }, 409);
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 conflict');
    stage.answer = () => null;
    await tab.remote.control({
      kind: 'decide',
      entry: 'entry-1',
      decision: { ...EDIT, body: { kind: 'text', text: 'Dusk 2' } },
    });
    await tab.heard('entry-1 done');
    expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
  });
});

describe('lanes that write to one URL', () => {
  test('a write that was under way while another changed the same is sent again with the new ETag', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ id: 7 }, { ETag: '"a"', 'Cache-Control': 'no-cache' });
    tab.meet();
    await tab.call(50);
    const wish = { method: 'PUT', template: '/photo/7' };
    let etag = '"a"';
    const lost = new Deferred();
    let times = 0;
    stage.answer = (seen) => {
      const { init, headers } = seen;
      if (init.body === 'second' && (times += 1) === 1) return lost.promise.then(unreachable);
      if (headers.get('If-Match') !== etag) return json({}, { ETag: etag }, 412);
      etag = `"${bodyOf(seen)}"`;
      return json({ ok: true }, { ETag: etag });
    };
    await tab.queue(2, 'second', wish, { lane: 'b' });
    await until(() => times === 1);
    await tab.queue(1, 'first', wish, { lane: 'a' });
    await tab.heard('entry-1 done');
    lost.resolve();
    await waitFor(stage, 30_000);
    await until(() => tab.told.length > 1);
    expect(tab.told).toEqual(['entry-1 done', 'entry-2 done']);
  });

  test('an older write is not sent for what a newer one has made of a version that its page has named', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await stored(stage, tab);
    let [etag, isDown] = ['"b"', true];
    stage.answer = (seen) => {
      if (bodyOf(seen) === 'old' && isDown) return json({}, {}, 503);
      if (seen.headers.get('If-Match') !== etag) return json({}, { ETag: etag }, 412);
      stage.perform(seen);
      etag = '"c"';
      return json({}, { ETag: etag });
    };
    await tab.queue(1, 'old', PUT, { lane: 'a' });
    await stage.failed(tab, 1);
    // Somebody else has made that version meanwhile, and only the page of the newer one has seen it.
    await tab.queue(2, 'new', { ...PUT, headers: [['If-Match', '"b"']] }, { lane: 'b' });
    await tab.heard('entry-2 done');
    isDown = false;
    await goOn(stage, 30);
    await until(() => tab.told.length > 1);
    expect([stage.performed, tab.told.at(-1)]).toEqual([['new'], 'entry-1 conflict']);
  });

  test.each([
    ['is sent again for what that has made', '"b"', ['entry-1 done', 'entry-2 done']],
    ['comes to conflict with what others made of that', '"c"', ['entry-1 done', 'entry-2 conflict']],
  ])('a write that is refused since another has changed the same meanwhile %s', async (_what, last, told) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await stored(stage, tab);
    let etag = '"a"';
    const [both, late] = [new Deferred(), new Deferred()];
    stage.answer = async (seen) => {
      await (bodyOf(seen) === 'first' ? both : late).promise;
      if (seen.headers.get('If-Match') !== etag) return json({}, {}, 412);
      etag = '"b"';
      return json({}, { ETag: etag });
    };
    await tab.queue(1, 'first', PUT, { lane: 'a' });
    await tab.queue(2, 'second', PUT, { lane: 'b' });
    await until(() => saidVersions(stage).length === 2);
    both.resolve();
    await tab.heard('entry-1 done');
    etag = last;
    late.resolve();
    await until(() => tab.told.length > 1);
    expect([saidVersions(stage), tab.told]).toEqual([['"a"', '"a"', '"b"'], told]);
  });

  test('a form does not save over what has come between, though another lane has made a version without an ETag', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await stored(stage, tab);
    const [both, late] = [new Deferred(), new Deferred()];
    stage.answer = async (seen) => {
      const isFirst = bodyOf(seen) === 'first';
      await (isFirst ? both : late).promise;
      return json({}, {}, isFirst || !seen.headers.has('If-Match') ? 200 : 412);
    };
    await tab.queue(1, 'first', PUT, { lane: 'a' });
    await tab.queue(2, 'second', PUT, { lane: 'b' });
    await until(() => saidVersions(stage).length === 2);
    both.resolve();
    await tab.heard('entry-1 done');
    late.resolve();
    await tab.heard('entry-2 conflict');
    await decide(tab, 'entry-2', TYPED);
    await until(() => tab.told.length > 2);
    expect([saidVersions(stage), tab.told.at(-1)]).toEqual([['"a"', '"a"', '"a"'], 'entry-2 conflict']);
  });

  test('a write in conflict is not changed to what another lane has made of the version that it conflicts with', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await stored(stage, tab);
    let etag = '"theirs"';
    stage.answer = (seen) => {
      if (seen.headers.get('If-Match') !== etag) return json({}, { ETag: etag }, 412);
      stage.perform(seen);
      etag = '"merged"';
      return json({}, { ETag: etag });
    };
    await tab.queue(1, 'first', PUT, { lane: 'a' });
    await tab.queue(2, 'second', PUT, { lane: 'b' });
    await until(() => tab.told.length > 1);
    await decide(tab, 'entry-1', { ...EDIT, body: { kind: 'text', text: 'merged' } });
    await tab.heard('entry-1 done');
    // A form that was opened before the conflict saves.
    const typed = {
      ...EDIT,
      key: 'key-8',
      body: { kind: 'text', text: 'typed' },
      isOfConflict: false,
    } as const;
    await decide(tab, 'entry-2', typed);
    await until(() => tab.told.length > 3);
    expect([stage.performed, tab.told.at(-1)]).toEqual([['merged'], 'entry-2 conflict']);
  });

  test('an older write keeps the version that it changes, though a newer one that knows none has changed a part', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await stored(stage, tab);
    let isDown = true;
    stage.answer = (seen) => {
      if (seen.init.method === 'POST') return json({});
      // Somebody else has made another version meanwhile.
      return isDown ? json({}, {}, 503) : json({}, {}, seen.headers.has('If-Match') ? 412 : 200);
    };
    await tab.queue(1, 'old', PUT, { lane: 'a' });
    await stage.failed(tab, 1);
    await tab.queue(2, 'likes it', { method: 'POST', template: '/photo/7' }, { lane: 'b' });
    await tab.heard('entry-2 done');
    isDown = false;
    await goOn(stage, 30);
    await until(() => tab.told.length > 1);
    expect(tab.told).toEqual(['entry-2 done', 'entry-1 conflict']);
  });
});
