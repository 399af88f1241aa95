import { describe, expect, test } from 'vitest';
import { World } from '../session/world.fixture.ts';
import { answered, invocation } from '../session/invocation.fixture.ts';
import { json } from '../../worker/platform/system.fixture.ts';
import type { Header } from '../../shared/header.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { ResourceCore } from './core.ts';
import { FakeLink, SILENT } from './link.fixture.ts';
import type { Link } from './link.ts';
import type { Loop } from './loop.ts';
import { loopQuestion } from './loop-order.ts';
import type { Notice } from './notice.ts';

/** A resource whose requests ask for a language, and what it was told. */
class Stage {
  language = 'en';
  readonly notices: Notice[] = [];
  readonly core: ResourceCore;

  constructor(link: Link) {
    this.core = new ResourceCore('', {
      name: '',
      link: () => link,
      documentUrl: () => 'https://page.example/',
      notify: (notice) => this.notices.push(notice),
      interest: () => SILENT,
      hears: () => true,
    });
    this.core.actions.map('get', 'GET', '/photo', {}, {});
    this.core.actions.configureRequest(
      (request) => request.setRequestHeader('Accept-Language', this.language),
      null,
    );
  }

  /** The response of each success, and the message of all else. */
  get told(): unknown[] {
    return this.notices.map(({ response, error }) => error?.message ?? response);
  }
}

/** One whose worker is as it is shipped, which lets time pass after each start in another language. */
async function restarted(
  world: World,
  languages: readonly string[],
  start: (core: ResourceCore) => Loop,
): Promise<Stage> {
  const { settings, nextId, records, outbox, pending } = new FakeLink();
  const stage = new Stage({ settings, nextId, records, outbox, pending, session: world.session() });
  let loop: Loop | null = null;
  for (const language of languages) {
    stage.language = language;
    if (loop) loop.restart();
    else loop = start(stage.core);
    await world.pass(30_000);
  }
  return stage;
}

describe('a loop that is restarted with other headers', () => {
  test.each([
    ['poll', (core: ResourceCore) => core.poll('get', {}, { interval: 60_000 })],
    ['long-poll', (core: ResourceCore) => core.longPoll('get', {}, {})],
  ])('tells the answer to those, a %s', async (_kind, start) => {
    const world = new World();
    world.system.serve = async ({ headers, init }) => {
      const language = headers.get('accept-language') ?? '';
      const etag = { ETag: `"${language}"`, Vary: 'Accept-Language' };
      if (headers.get('if-none-match') !== etag.ETag) return json(language, etag);
      // It holds the request of whoever has its answer.
      await world.system.clock.sleep(20_000, init.signal ?? undefined);
      return new Response(null, { status: 304, headers: etag });
    };
    const stage = await restarted(world, ['en', 'de', 'en'], start);
    expect(stage.told).toEqual(['en', 'de', 'en']);
  });

  test('has lost nothing of its feed: it begins with another', async () => {
    const world = new World();
    let n = 0;
    world.system.serve = () => json((n += 1), { 'X-Next': String(n) });
    const cursor = { from: { header: 'X-Next' }, to: { query: 'since' } };
    const stage = await restarted(world, ['en', 'de'], (core) =>
      core.poll('get', {}, { interval: 60_000, cursor }),
    );
    expect(stage.told).toEqual([1, 2]);
  });

  test('hears no more of what is on its way to the one before', () => {
    const link = new FakeLink();
    const stage = new Stage(link);
    const loop = stage.core.poll('get', {}, {});
    stage.language = 'de';
    loop.restart();
    const [before, after] = link.loops.map(({ declaration }) => declaration.loop);
    expect(after).not.toBe(before);
    expect(link.asked).toEqual([['stop', before]]);
    loop.stop();
    expect(link.asked).toEqual([
      ['stop', before],
      ['stop', after],
    ]);
  });

  test('goes on as it was where it asks the same', () => {
    const link = new FakeLink();
    const stage = new Stage(link);
    const loop = stage.core.poll('get', {}, {});
    link.tick(answered('a'));
    loop.restart();
    expect(link.loops.map(({ declaration }) => declaration.loop)).toEqual([1, 1]);
    expect(link.asked).toEqual([]);
  });
});

describe('a loop asks', () => {
  const POLL = { kind: 'poll', interval: 5_000, hidden: 'slow' } as const;
  const ASKED = invocation({ headers: [['X-One', '1']] });

  function asks(differing: Partial<LoopDeclaration> = {}): string {
    const { pace, invocation: asked, ...place } = { pace: POLL, invocation: ASKED, ...differing };
    return loopQuestion(pace, asked, place);
  }

  function bytes(...each: readonly number[]): Partial<LoopDeclaration> {
    return { invocation: { ...ASKED, body: { kind: 'bytes', bytes: new Uint8Array(each).buffer } } };
  }

  const [ONE, TWO] = [['X-One', '1'] satisfies Header, ['X-Two', '2'] satisfies Header];

  test.each<[string, Partial<LoopDeclaration>, Partial<LoopDeclaration>]>([
    ['at another pace', {}, { pace: { ...POLL, interval: 700 } }],
    [
      'with the same headers in another order and case',
      { invocation: { ...ASKED, headers: [ONE, TWO] } },
      { invocation: { ...ASKED, headers: [TWO, ['x-one', '1']] } },
    ],
    ['with the same bytes', bytes(1, 2), bytes(1, 2)],
    [
      'from another page of the app, of an absolute URL',
      {},
      { invocation: { ...ASKED, documentUrl: 'https://page.example/other/' } },
    ],
  ])('the same %s', (_how, one, other) => {
    expect(asks(other)).toBe(asks(one));
  });

  test.each<[string, Partial<LoopDeclaration>, Partial<LoopDeclaration>]>([
    ['with other headers', {}, { invocation: { ...ASKED, headers: [TWO] } }],
    ['with other bytes', bytes(1, 2), bytes(1, 3)],
    ['at another base URL', {}, { invocation: { ...ASKED, baseUrl: '/de' } }],
    ['with other parameters', {}, { invocation: { ...ASKED, params: [['id', '1']] } }],
    ['as a long-poll', {}, { pace: { kind: 'long-poll' } }],
    ['to be held otherwise', {}, { wait: { kind: 'prefer', seconds: 30 } }],
    [
      'from another directory, of a relative URL',
      { invocation: { ...ASKED, template: 'photo' } },
      { invocation: { ...ASKED, template: 'photo', documentUrl: 'https://page.example/other/' } },
    ],
  ])('something else %s', (_how, one, other) => {
    expect(asks(other)).not.toBe(asks(one));
  });
});
