import { describe, expect, test } from 'vitest';
import { json, until, unreachable } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { call, counting, FOR_A_MINUTE, seconds } from './freshness.fixture.ts';

/** A server whose answers come when they are let. */
function slow(): { stage: EngineStage; open: ((response: Response) => void)[] } {
  const open: ((response: Response) => void)[] = [];
  const stage = new EngineStage(() => new Promise((resolve) => open.push(resolve)));
  return { stage, open };
}

const NO_CACHE: Wish = {
  headers: [
    ['Accept', 'application/json, */*;q=0.5'],
    ['Cache-Control', 'no-cache'],
  ],
};

describe('order', () => {
  test('a read with Cache-Control of its own, asked before another, is not stored nor told after it', async () => {
    const { stage, open } = slow();
    const first = call(stage, 'default', NO_CACHE);
    await until(() => open.length === 1);
    const second = call(stage);
    await until(() => open.length === 2);
    open[1]?.(json(['new'], FOR_A_MINUTE));
    expect(gist(await second)).toEqual(['new']);
    open[0]?.(json(['old'], FOR_A_MINUTE));
    const told = gist(await first);
    const after = call(stage);
    expect(gist(await after)).toEqual(['new']);
    expect(told).toEqual(['new']);
  });

  test('an answer asked for before a refusal is not served as fresh after it', async () => {
    const { stage, open } = slow();
    const first = call(stage);
    await until(() => open.length === 1);
    // Otherwise it would share the exchange.
    const second = call(stage, 'default', { policy: { answerSize: 1_000_000 } });
    await until(() => open.length === 2);
    open[1]?.(json(null, {}, 403));
    expect(gist(await second)).toBe('http');
    stage.system.serve = () => json(null, {}, 403);
    open[0]?.(json(['secret'], FOR_A_MINUTE));
    await first;
    expect(gist(await call(stage))).toBe('http');
  });

  test('an answer told after three drops, from before a write, is not fresh after it', async () => {
    const { stage, open } = slow();
    let asked = 0;
    const out = async (): Promise<(response: Response) => void> => {
      await until(() => open.length > asked);
      const answer = open[(asked += 1) - 1];
      return (response) => answer?.(response);
    };
    const read = call(stage);
    let answer = await out();
    for (let nth = 0; nth < 4; nth += 1) {
      const put = call(stage, 'default', { method: 'PUT' });
      (await out())(json(null));
      await put;
      answer(json([`before ${nth}`], FOR_A_MINUTE));
      if (nth < 3) answer = await out();
    }
    expect(gist(await read)).toEqual(['before 3']);
    stage.system.serve = () => json(['after']);
    expect(gist(await call(stage))).toEqual(['after']);
  });

  test.each([
    ['/photo', 'Location', '/photo'],
    ['/photo', 'Content-Location', '/photo'],
    ['/photo', 'Location', '/photo#new'],
    ['/photo', 'Location', '/%70hoto'],
    ['/photo', 'Content-Location', 'HTTPS://page.example:443/a/../%70hoto'],
    ['/%7ephoto', 'Location', '/~photo'],
    ['/%e4', 'Location', '/%E4'],
  ])(
    'an answer from %s asked for before a write that names that in %s, as %s, is not fresh after it',
    async (template, name, reference) => {
      const { stage, open } = slow();
      const read = call(stage, 'default', { template });
      await until(() => open.length === 1);
      const post = call(stage, 'default', { method: 'POST', template: '/photos' });
      await until(() => open.length === 2);
      open[1]?.(json(null, { [name]: reference }, 201));
      await post;
      stage.system.serve = () => json(['after']);
      open[0]?.(json(['before'], FOR_A_MINUTE));
      await read;
      expect(gist(await call(stage, 'default', { template }))).toEqual(['after']);
    },
  );
});

async function write(stage: EngineStage): Promise<unknown> {
  stage.system.serve = () => json(null);
  return call(stage, 'default', { method: 'PUT' });
}

async function poll(stage: EngineStage): Promise<unknown> {
  await stage.revise();
  return stage.cache.settled();
}

describe('an answer that is confirmed', () => {
  const LONG = 'x'.repeat(20_000);

  /** A stale answer whose server confirms it, before a PUT. Its new description waits for the database until then. */
  async function written(
    during: (stage: EngineStage) => Promise<unknown>,
    { isOutdated = false, meanwhile = write } = {},
  ): Promise<EngineStage> {
    const stage = new EngineStage(({ headers }) =>
      headers.get('if-none-match') === '"1"'
        ? new Response(null, { status: 304, headers: FOR_A_MINUTE })
        : json([LONG], FOR_A_MINUTE),
    );
    await call(stage);
    if (isOutdated) await call(stage, 'default', { method: 'PUT' });
    await stage.cache.settled();
    await seconds(stage, 100);
    const find = stage.responses.find.bind(stage.responses);
    const letGo: (() => void)[] = [];
    stage.responses.find = async (key) => {
      const found = await find(key);
      await new Promise<void>((resolve) => letGo.push(resolve));
      return found;
    };
    const reading = during(stage);
    await until(() => letGo.length > 0);
    stage.responses.find = find;
    await meanwhile(stage);
    await stage.cache.settled();
    stage.system.serve = () => json(['after'], FOR_A_MINUTE);
    for (const go of letGo) go();
    await reading;
    return stage;
  }

  test('is not told after a write that ended meanwhile', async () => {
    let told: unknown;
    await written(async (stage) => (told = gist(await call(stage))));
    expect(JSON.stringify(told).slice(0, 20)).toBe('["after"]');
  });

  test('for a poll is not fresh after a write that ended meanwhile', async () => {
    const stage = await written(async (each) => {
      await each.revise();
      await each.cache.settled();
    });
    await settle();
    expect(JSON.stringify(gist(await call(stage))).slice(0, 20)).toBe('["after"]');
  });

  test.each([false, true])(
    'and was outdated before is not fresh after another write that ended meanwhile (held: %s)',
    async (held) => {
      const stage = await written(
        async (each) => {
          await each.tick({ held });
          await each.cache.settled();
        },
        { isOutdated: true },
      );
      await settle();
      expect(JSON.stringify(gist(await call(stage))).slice(0, 20)).toBe('["after"]');
    },
  );

  test('for a poll is fresh after a write to another URL that ended meanwhile', async () => {
    const stage = await written(poll, {
      meanwhile: (each) => call(each, 'default', { method: 'PUT', template: '/other' }),
    });
    await settle();
    expect(JSON.stringify(gist(await call(stage))).slice(0, 8)).toBe('["xxxxxx');
  });

  test('and cleared meanwhile leaves no validator', async () => {
    const stage = await written(poll, { meanwhile: (each) => each.cache.clear() });
    await settle();
    await stage.revise();
    expect(stage.sent(-1, 'if-none-match')).toBeNull();
  });
});

test('of a URL that a write names, an answer under another spelling is not fresh after it', async () => {
  const stage = counting();
  for (const template of ['/a%7eb', '/a~c']) await call(stage, 'default', { template });
  stage.system.serve = () => json(null, { Location: '/a%7eb', 'Content-Location': '/a%7Ec' }, 201);
  await call(stage, 'default', { method: 'POST', template: '/photos' });
  stage.system.serve = () => json(['after'], FOR_A_MINUTE);
  for (const template of ['/a%7eb', '/a~c'])
    expect(gist(await call(stage, 'default', { template }))).toEqual(['after']);
});

describe('a write', () => {
  test.each<[string, () => Response]>([
    [
      'a body that is no JSON',
      () => new Response('{', { status: 200, headers: { 'Content-Type': 'application/json' } }),
    ],
    ['more than answerSize', () => json('x'.repeat(2_000))],
    ['a page of HTML', () => new Response('<p>done</p>', { headers: { 'Content-Type': 'text/html' } })],
    ['500, which may follow the deed', () => json(null, {}, 500)],
  ])('that was answered with %s outdates', async (_, response) => {
    const stage = counting();
    await call(stage);
    stage.system.serve = response;
    const put = await call(stage, 'default', { method: 'PUT', policy: { answerSize: 1_000 } });
    expect(put.kind).toBe('failed');
    stage.system.serve = () => json(['after']);
    expect(gist(await call(stage))).toEqual(['after']);
  });

  test('whose answer is lost leaves nothing fresh', async () => {
    const stage = counting();
    await call(stage);
    stage.system.serve = unreachable;
    await call(stage, 'default', { method: 'PUT' });
    stage.system.serve = () => json(['after']);
    expect(gist(await call(stage))).toEqual(['after']);
  });

  test('that is answered with 303 outdates', async () => {
    const stage = counting();
    await call(stage);
    stage.system.serve = () => {
      const response = new Response(null, { status: 200 });
      Object.defineProperties(response, { type: { value: 'opaqueredirect' }, status: { value: 0 } });
      return response;
    };
    const put = await call(stage, 'default', { method: 'PUT' });
    expect(gist(put)).toBe('redirected');
    stage.system.serve = () => json(['after']);
    expect(gist(await call(stage))).toEqual(['after']);
  });

  test('what is outdated does not stand for a failing server', async () => {
    const stage = counting({ 'Cache-Control': 'max-age=60, stale-if-error=60' });
    await call(stage);
    await call(stage, 'default', { method: 'PUT' });
    stage.system.serve = () => json(null, {}, 503);
    expect(gist(await call(stage))).toBe('http');
  });

  test('OPTIONS that is refused does not remove what a GET brought', async () => {
    const stage = counting();
    await call(stage);
    stage.system.serve = () => json(null, {}, 403);
    await call(stage, 'default', { method: 'OPTIONS' });
    expect(gist(await call(stage))).toEqual([1]);
  });
});

describe('users', () => {
  const LIFE = { 'Cache-Control': 'max-age=60, stale-if-error=600' };

  test('what one user of the hook was told is not told to another for a 503', async () => {
    const stage = counting(LIFE);
    stage.hook = (request) => request.setRequestHeader('Authorization', 'anna');
    await call(stage);
    stage.hook = (request) => request.setRequestHeader('Authorization', 'bert');
    stage.system.serve = () => json(null, {}, 503);
    expect(gist(await call(stage))).toBe('http');
  });

  test.each(['*', 'Cookie'])('what varies by %s does not stand for a 503', async (vary) => {
    const stage = counting({ ...LIFE, Vary: vary });
    await call(stage);
    stage.system.serve = () => json(null, {}, 503);
    expect(gist(await call(stage))).toBe('http');
  });

  test('a long answer for one user is not confirmed for another by its date', async () => {
    const long = 'x'.repeat(20_000);
    const dated = { 'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT', 'Cache-Control': 'max-age=60' };
    const stage = new EngineStage(({ headers }) =>
      headers.get('if-modified-since') === dated['Last-Modified']
        ? new Response(null, { status: 304, headers: dated })
        : json([headers.get('authorization'), long], dated),
    );
    stage.hook = (request) => request.setRequestHeader('Authorization', 'anna');
    await call(stage);
    stage.hook = (request) => request.setRequestHeader('Authorization', 'bert');
    expect(gist(await call(stage))).toEqual(['bert', long]);
  });
});

describe('age', () => {
  test('only-if-cached goes with the other directives (RFC 9111 5.2.1.7)', async () => {
    const stage = counting();
    await call(stage);
    await seconds(stage, 50);
    expect(
      gist(await call(stage, 'default', { headers: [['Cache-Control', 'only-if-cached, max-age=5']] })),
    ).toBe('offline');
  });

  test('only-if-cached does not serve what must be validated', async () => {
    const stage = counting({ 'Cache-Control': 'max-age=1, must-revalidate' });
    await call(stage);
    await seconds(stage, 50);
    expect(gist(await call(stage, 'default', { headers: [['Cache-Control', 'only-if-cached']] }))).toBe(
      'offline',
    );
  });
});
