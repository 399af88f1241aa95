import { describe, expect, test } from 'vitest';
import { mayBeDone } from '../../shared/outcome.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { json } from '../platform/system.fixture.ts';
import type { Seen } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { EngineStage } from './engine.fixture.ts';

const ORIGIN = 'https://page.example';

/** A server that knows some tokens, and a page whose provider gives one after the other. */
class Stage extends EngineStage {
  readonly valid = new Set(['one']);
  readonly tokens: (string | Error)[] = ['one', 'two', 'three'];
  expiresAt: number | null = null;

  constructor() {
    super((seen) => this.#answer(seen));
    this.credentials.setOrigins('page', [ORIGIN]);
  }

  #answer({ headers }: Seen): Response {
    const token = headers.get('authorization') ?? '';
    return json({ token }, { 'X-Token': token }, this.valid.has(token) ? 200 : 401);
  }

  readonly reasons: string[] = [];

  /** Answers what is wanted, as long as anything is. */
  async provide(): Promise<void> {
    await settle();
    while (this.wanted.length > 0) await this.provideOnce();
  }

  async provideOnce(): Promise<void> {
    const wanted = this.wanted.shift();
    if (!wanted) return;
    const next = this.tokens.shift() ?? new Error('No more');
    this.reasons.push(wanted.reason);
    const { expiresAt } = this;
    this.credentials.hear(
      'page',
      wanted.question,
      next instanceof Error
        ? { kind: 'failed', message: next.message }
        : { kind: 'given', headers: [['Authorization', next]], expiresAt },
    );
    await settle();
  }

  /** Gives another header than Authorization to the call that waits for it. */
  giveKey(key: string): void {
    const headers = [['X-Key', key]] as const;
    this.credentials.hear('page', this.wanted[0]?.question ?? '', {
      kind: 'given',
      headers,
      expiresAt: null,
    });
  }

  /** A call, with the provider asked as often as it takes. */
  async callOut(wish: Wish = {}): Promise<ReadOutcome> {
    const call = this.call(wish);
    await this.provide();
    return call;
  }

  /** A write that is not to be sent without any. */
  callInNeed(): Promise<ReadOutcome> {
    const { signal } = new AbortController();
    const interest = { started: false, sent: false, progress: false };
    const nobody = { page: 'outbox', interest, say: () => {}, takeEarly: null, tellFirst: () => {} };
    const asked = invocation({ method: 'POST' });
    return this.engine.call({ ...nobody, invocation: asked, signal, needsCredentials: true });
  }

  get tokensSent(): (string | null)[] {
    return this.system.requests.map(({ headers }) => headers.get('authorization'));
  }
}

describe('credentials of a provider', () => {
  test('go with calls and with every tick of a loop, as they are by then', async () => {
    const stage = new Stage();
    stage.valid.add('two');
    stage.expiresAt = 0;
    expect(await stage.callOut()).toMatchObject({ kind: 'answered' });
    const tick = stage.tick({});
    await stage.provide();
    expect(await tick).toMatchObject({ kind: 'answered' });
    expect(stage.tokensSent).toEqual(['one', 'two']);
    expect(stage.reasons).toEqual(['first', 'expired']);
  });

  test('go to their own origin alone', async () => {
    const stage = new Stage();
    stage.valid.add('');
    await stage.callOut({ template: 'https://other.example/photo' });
    expect(stage.tokensSent).toEqual([null]);
    expect(stage.reasons).toEqual([]);
  });

  test('are redacted in what is told, by whatever name', async () => {
    const stage = new Stage();
    stage.valid.add('');
    const call = stage.call();
    await settle();
    stage.giveKey('swordfish');
    const outcome = await call;
    expect(stage.system.requests[0]?.headers.get('x-key')).toBe('swordfish');
    expect(outcome.request?.headers).toContainEqual(['X-Key', 'redacted']);
    expect(JSON.stringify(outcome.request)).not.toContain('swordfish');
  });

  test('leave a header of the request as it is, and its own Authorization alone', async () => {
    const stage = new Stage();
    stage.valid.add('mine');
    await stage.callOut({ headers: [['authorization', 'mine']] });
    expect(stage.tokensSent).toEqual(['mine']);
    expect(stage.reasons).toEqual([]);
  });

  test('do not go where the request is to have none', async () => {
    const stage = new Stage();
    stage.valid.add('');
    await stage.callOut({ policy: { credentials: 'omit' } });
    expect(stage.tokensSent).toEqual([null]);
  });

  test('come after what the worker hook has set', async () => {
    const stage = new Stage();
    stage.valid.add('of the hook');
    stage.hook = (request) => request.setRequestHeader('Authorization', 'of the hook');
    await stage.callOut();
    expect(stage.tokensSent).toEqual(['of the hook']);
  });

  test('confine redirects to their origin', async () => {
    const stage = new Stage();
    await stage.callOut({ policy: { origins: ['https://other.example'] } });
    expect(stage.system.requests[0]?.init.mode).toBe('same-origin');
    stage.credentials.setOrigins('page', [ORIGIN, 'https://api.example']);
    await stage.callOut({
      template: 'https://api.example/photo',
      policy: { origins: ['https://api.example'] },
    });
    expect(stage.system.requests.at(-1)?.init.redirect).toBe('manual');
  });
});

describe('after a 401', () => {
  test('the request is repeated once with new ones, and only the last answer is told', async () => {
    const stage = new Stage();
    stage.valid.add('two').delete('one');
    const outcome = await stage.callOut();
    expect(outcome).toMatchObject({ kind: 'answered', answer: { status: 200 } });
    expect(stage.tokensSent).toEqual(['one', 'two']);
    expect(stage.reasons).toEqual(['first', 'refused']);
  });

  test('no step of the refused request is told', async () => {
    const stage = new Stage();
    stage.valid.add('two').delete('one');
    const steps: unknown[] = [];
    const call = stage.engine.call({
      interest: { started: true, sent: true, progress: true },
      say: (step) => {
        const delivery = step({ id: 1 });
        steps.push(delivery.kind === 'sent' ? delivery.status : delivery.kind);
      },
      invocation: invocation(),
      page: 'page',
      tellFirst: () => {},
      takeEarly: null,
      signal: new AbortController().signal,
    });
    await stage.provide();
    await call;
    expect(steps.filter((step) => step !== 'progress')).toEqual([200]);
  });

  test('another 401 is told as it is', async () => {
    const stage = new Stage();
    stage.valid.clear();
    expect(await stage.callOut()).toMatchObject({
      failure: { code: 'http', status: 401 },
      answer: { status: 401 },
    });
    expect(stage.tokensSent).toEqual(['one', 'two']);
  });

  test('a write is repeated too: it was not applied', async () => {
    const stage = new Stage();
    stage.valid.add('two').delete('one');
    const body = { kind: 'text', text: 'title=Sea' } as const;
    expect(await stage.callOut({ method: 'POST', body })).toMatchObject({ kind: 'answered' });
    expect(stage.system.requests.map(({ init }) => init.body)).toEqual(['title=Sea', 'title=Sea']);
  });

  test('many calls ask once, and all are repeated', async () => {
    const stage = new Stage();
    stage.valid.add('two').delete('one');
    const calls = [
      stage.call(),
      stage.call({ template: '/other' }),
      stage.call({ template: '/new', method: 'POST' }),
    ];
    await stage.provide();
    for (const call of calls) expect(await call).toMatchObject({ kind: 'answered' });
    expect(stage.tokensSent).toEqual(['one', 'one', 'one', 'two', 'two', 'two']);
    expect(stage.reasons).toEqual(['first', 'refused']);
  });

  test('a write that would undo a newer one is not repeated: its 401 is told', async () => {
    const stage = new Stage();
    stage.valid.add('two').delete('one');
    const older = stage.call({ method: 'PUT' });
    await settle();
    await stage.provideOnce();
    const newer = stage.call({ method: 'PUT', headers: [['Authorization', 'two']] });
    expect(await newer).toMatchObject({ kind: 'answered' });
    await stage.provide();
    expect(await older).toMatchObject({ failure: { status: 401 } });
    expect(stage.tokensSent).toEqual(['one', 'two']);
  });
});

describe('a provider that fails', () => {
  test('is the failure of the call, and nothing was sent', async () => {
    const stage = new Stage();
    stage.tokens.unshift(new Error('No session'));
    const outcome = await stage.callOut();
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { code: 'credentials', message: expect.stringContaining('No session') },
      request: null,
    });
    expect(stage.system.requests).toEqual([]);
    expect(stage.noted, 'which says nothing of the server').toEqual([]);
  });

  test('after a 401 leaves a write that was not done', async () => {
    const stage = new Stage();
    stage.valid.clear();
    stage.tokens.splice(1, 1, new Error('Session over'));
    const outcome = await stage.callOut({ method: 'POST' });
    expect(outcome).toMatchObject({ failure: { code: 'credentials' }, answer: null });
    expect(outcome.request).not.toBeNull();
    expect(mayBeDone(outcome)).toBe(false);
  });

  test('to answer ends with the deadline of the call, which names it', async () => {
    const stage = new Stage();
    const call = stage.call({ method: 'POST', policy: { timeout: 5_000 } });
    const shared = stage.call({ policy: { timeout: 5_000 } });
    await settle();
    await stage.system.clock.advance(5_000);
    expect(await call).toMatchObject({
      failure: { code: 'timeout', message: expect.stringContaining('credentials provider held up') },
    });
    expect(await shared).toMatchObject({ failure: { code: 'timeout' }, request: null });
  });
});

describe('what is stored of an answer', () => {
  test('has none of the headers that the provider gave, though its server repeats them', async () => {
    const stage = new Stage();
    stage.system.serve = () =>
      json({}, { 'X-Key': 'swordfish', 'X-Open': 'book', 'Cache-Control': 'max-age=60' });
    const call = stage.call();
    await settle();
    stage.giveKey('swordfish');
    await call;
    await stage.cache.settled();
    const stored = await stage.newest();
    expect(stored?.answer.headers).toContainEqual(['x-open', 'book']);
    expect(JSON.stringify(stored?.answer.headers)).not.toContain('swordfish');
  });
});

/** A server whose answers are fresh for a minute, and who they are for. */
function fresh(): Stage {
  const stage = new Stage();
  stage.system.serve = ({ headers }) =>
    json({ for: headers.get('authorization') }, { 'Cache-Control': 'max-age=60', ETag: '"1"' });
  return stage;
}

describe('what is stored', () => {
  const BY_DEFAULT: Wish = { policy: { revalidate: false } };

  test('is served to the same credentials while it is fresh, and nobody is asked', async () => {
    const stage = fresh();
    await stage.callOut(BY_DEFAULT);
    expect(await stage.callOut(BY_DEFAULT)).toMatchObject({ servedFrom: 'cache' });
    expect(stage.reasons).toEqual(['first']);
    expect(stage.tokensSent).toEqual(['one']);
  });

  test('is neither served to others nor validated for them, while nobody is signed in', async () => {
    const stage = fresh();
    await stage.callOut(BY_DEFAULT);
    stage.credentials.drop();
    expect(await stage.callOut(BY_DEFAULT)).toMatchObject({ servedFrom: 'network' });
    expect(stage.tokensSent).toEqual(['one', 'two']);
    expect(stage.sent(1, 'if-none-match')).toBeNull();
  });

  test('for nobody is not served once there is a provider, though that was not asked yet', async () => {
    const stage = fresh();
    stage.credentials.setOrigins('page', []);
    await stage.callOut(BY_DEFAULT);
    stage.credentials.setOrigins('page', [ORIGIN]);
    expect(await stage.callOut(BY_DEFAULT)).toMatchObject({ servedFrom: 'network' });
    expect(stage.tokensSent).toEqual([null, 'one']);
  });

  test('is not validated by the repetition with other credentials', async () => {
    const stage = fresh();
    await stage.callOut();
    stage.system.serve = ({ headers }) => json({}, {}, headers.get('authorization') === 'two' ? 200 : 401);
    await stage.callOut();
    expect(stage.tokensSent).toEqual(['one', 'one', 'two']);
    expect([stage.sent(1, 'if-none-match'), stage.sent(2, 'if-none-match')]).toEqual(['"1"', null]);
  });

  test('stands for a provider that fails since there is no network, if it was for what is held', async () => {
    const stage = fresh();
    stage.expiresAt = 0;
    await stage.callOut(BY_DEFAULT);
    stage.tokens[0] = new Error('Failed to fetch');
    stage.system.online = false;
    expect(await stage.callOut()).toMatchObject({ servedFrom: 'cache', stale: true });
    stage.credentials.drop();
    stage.tokens[0] = new Error('Failed to fetch');
    expect(await stage.callOut()).toMatchObject({ failure: { code: 'offline' } });
  });
});

describe('a write that needs credentials', () => {
  test('is not sent while nobody provides any', async () => {
    const stage = new Stage();
    stage.credentials.setOrigins('page', []);
    const outcome = await stage.callInNeed();
    expect(outcome).toMatchObject({ failure: { code: 'credentials' }, request: null });
    expect([stage.tokensSent, mayBeDone(outcome)]).toEqual([[], false]);
  });

  test('is sent with what is provided', async () => {
    const stage = new Stage();
    const call = stage.callInNeed();
    await stage.provide();
    await call;
    expect(stage.tokensSent).toEqual(['one']);
  });

  test("is sent with what the worker's hook gives", async () => {
    const stage = new Stage();
    stage.credentials.setOrigins('page', []);
    stage.hook = (request) => request.setRequestHeader('Authorization', 'one');
    await stage.callInNeed();
    expect(stage.tokensSent).toEqual(['one']);
  });
});
