import { describe, expect, test } from 'vitest';
import { answered } from '../session/invocation.fixture.ts';
import { REQUIRED } from './check.ts';
import { ResourceCore } from './core.ts';
import { FakeLink, SILENT } from './link.fixture.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Notice } from './notice.ts';
import type { InputParams } from './params.ts';
import type { RequestData } from './body.ts';
import type { InvokeOptions } from './prepare.ts';

class Stage {
  readonly link: FakeLink = new FakeLink();
  readonly notices: Notice[] = [];
  readonly core: ResourceCore;

  constructor(name = '') {
    this.core = new ResourceCore('/api', {
      name,
      link: () => this.link,
      documentUrl: () => 'https://page.example/',
      notify: (notice) => this.notices.push(notice),
      interest: () => SILENT,
      hears: () => true,
    });
    this.core.actions.map('get', 'GET', '/photo/{id}', { id: REQUIRED }, {});
    this.core.actions.map('put', 'PUT', '/photo/{id}', {}, {});
  }

  invoke(
    action: string,
    params?: InputParams | null,
    data?: RequestData,
    options: InvokeOptions = {},
  ): number {
    return this.core.invoke(action, params, data, options);
  }

  get invocations(): unknown[] {
    return this.link.calls.map(({ submission }) => submission.invocation);
  }

  get codes(): unknown[] {
    return this.notices.filter(({ type }) => type === 'error').map(({ error }) => error?.code);
  }
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an invocation goes with its id, its base URL and the resource’s name', () => {
  const stage = new Stage('photos');
  expect([stage.invoke('get', { id: 1 }), stage.invoke('get', { id: 2 })]).toEqual([1, 2]);
  expect(stage.invocations[0]).toMatchObject({
    action: 'photos.get',
    baseUrl: '/api',
    params: [['id', '1']],
  });
  stage.core.actions.setBaseUrl('/v2');
  stage.invoke('get', { id: 1 });
  expect(stage.invocations[2]).toMatchObject({ baseUrl: '/v2' });
});

describe('what the call can show throws at the call, and nothing is sent', () => {
  test.each<[string, string, unknown, RequestData]>([
    ['No route for action gett', 'gett', {}, null],
    ["Parameters of 'get' must be a plain object, got an array", 'get', [1], null],
    ["Missing parameter 'id'", 'get', {}, null],
    ["Data of 'get' cannot join the query of a GET: it is an array", 'get', { id: 1 }, [1]],
  ])('%s', (message, action, params, data) => {
    const stage = new Stage();
    const given: InputParams = Object.assign(JSON.parse('{"params":null}'), { params }).params;
    expect(() => stage.invoke(action, given, data)).toThrow(message);
    expect(stage.link.calls).toEqual([]);
  });

  test('an id is not used up', () => {
    const stage = new Stage();
    expect(() => stage.invoke('get')).toThrow("Missing parameter 'id'");
    expect(stage.invoke('get', { id: 1 })).toBe(1);
  });
});

test('parameters are copied at the call', () => {
  const stage = new Stage();
  const params = { id: [1] };
  stage.invoke('get', params);
  params.id.push(2);
  stage.core.refresh('get');
  expect(stage.invocations).toMatchObject([{ params: [['id', ['1']]] }, { params: [['id', ['1']]] }]);
});

describe('a refresh', () => {
  test('sends the last call of its action again, its body as it was, and revalidates', () => {
    const stage = new Stage();
    const data = { a: 1 };
    stage.invoke('put', { id: 1 }, data, { headers: { X: '1' } });
    stage.invoke('get', { id: 2 });
    data.a = 2;
    expect(stage.core.refresh('put')).toBe(3);
    expect(stage.invocations[0]).toMatchObject({ policy: { revalidate: false } });
    expect(stage.invocations[2]).toMatchObject({
      method: 'PUT',
      params: [['id', '1']],
      headers: expect.arrayContaining([['X', '1']]),
      body: { kind: 'text', text: 'a=1' },
      policy: { revalidate: true },
    });
  });

  test('does not end with the signal of the call that it repeats', async () => {
    const stage = new Stage();
    const controller = new AbortController();
    stage.invoke('get', { id: 1 }, null, { signal: controller.signal });
    await settled();
    stage.link.settle(answered());
    stage.core.refresh('get');
    controller.abort();
    expect(stage.link.asked).toEqual([]);
  });

  test('without a call sends what the loop of the action sends, else nothing', () => {
    const stage = new Stage();
    expect(stage.core.refresh('get')).toBeNull();
    stage.core.poll('get', { id: 7 }, {});
    expect(stage.core.refresh('get')).toBeTypeOf('number');
    expect(stage.invocations).toMatchObject([{ params: [['id', '7']] }]);
  });

  test('of an unknown action throws', () => {
    expect(() => new Stage().core.refresh('gett')).toThrow('No route for action gett');
  });
});

describe('a loop', () => {
  test('polls every 5 s, at once, unless it is told otherwise', () => {
    const stage = new Stage();
    stage.core.poll('get', { id: 1 }, {});
    stage.core.poll('get', { id: 2 }, { interval: 700, immediately: false });
    expect(stage.link.loops.map(({ declaration: { pace, firstIn } }) => [pace, firstIn])).toEqual([
      [{ kind: 'poll', interval: 5_000, hidden: 'slow' }, 0],
      [{ kind: 'poll', interval: 700, hidden: 'slow' }, 700],
    ]);
    expect(stage.link.loops[0]?.declaration.invocation.policy.revalidate).toBe(true);
  });

  test('of which changes alone make events tells the next answer once a call of its action has failed', () => {
    const stage = new Stage();
    stage.core.poll('get', { id: 1 }, { notify: 'change' });
    stage.core.invoke('get', { id: 1 }, null, {});
    stage.link.settle(answered());
    expect(stage.link.asked).toEqual([]);
    stage.core.invoke('get', { id: 1 }, null, {});
    stage.link.settle(unanswered({ code: 'network', message: 'no' }));
    stage.core.invoke('get', { id: 1 }, null, {});
    stage.link.settle(answered('old', { stale: true }));
    const told = ['interest', 1, { started: false, sent: false, progress: false, unchanged: false }];
    expect(stage.link.asked).toEqual([told, told]);
  });

  test('of which changes alone make events says so', () => {
    const stage = new Stage();
    stage.core.poll('get', { id: 1 }, { notify: 'change' });
    stage.core.poll('get', { id: 2 }, { notify: 'answer' });
    stage.core.poll('get', { id: 3 }, {});
    expect(stage.link.loops.map(({ declaration: { interest } }) => interest.unchanged)).toEqual([
      false,
      undefined,
      undefined,
    ]);
    const never: object = { notify: 'never' };
    expect(() => stage.core.poll('get', { id: 4 }, never)).toThrow(
      "Option 'notify' of 'get' must be one of answer, change, got 'never'",
    );
  });

  test('of which the server holds the requests says what a hidden page is to hear', () => {
    const stage = new Stage();
    stage.core.longPoll('get', { id: 1 }, {});
    stage.core.longPoll('get', { id: 2 }, { hidden: 'continue' });
    expect(stage.link.loops.map(({ declaration: { pace } }) => pace)).toEqual([
      { kind: 'long-poll' },
      { kind: 'long-poll', hidden: 'continue' },
    ]);
    const pause: object = { hidden: 'pause' };
    expect(() => stage.core.longPoll('get', { id: 3 }, pause)).toThrow(
      "Option 'hidden' of 'get' must be one of continue, slow, got 'pause'",
    );
  });

  test('without parameters takes those of the last call, and its body', () => {
    const stage = new Stage();
    stage.invoke('put', { id: 1 }, { a: 1 });
    stage.core.poll('put', null, {});
    expect(stage.link.loops).toMatchObject([
      { declaration: { invocation: { params: [['id', '1']], body: { text: 'a=1' } } } },
    ]);
  });

  test('without parameters repeats the last call, its headers and credentials included, but for what it says itself', () => {
    const stage = new Stage();
    const headers = { 'Content-Type': 'application/json', 'Accept-Language': 'de' };
    stage.invoke('put', { id: 1 }, { a: 1 }, { headers, credentials: 'include', timeout: 7_000 });
    stage.core.poll('put', null, {});
    stage.core.longPoll('put', null, { credentials: 'omit' });
    const [called] = stage.link.calls.map(({ submission }) => submission.invocation);
    const [poll, longPoll] = stage.link.loops.map(({ declaration }) => declaration.invocation);
    expect(poll).toEqual({ ...called, policy: { ...called?.policy, revalidate: true } });
    expect(longPoll).toEqual({
      ...poll,
      policy: { ...poll?.policy, credentials: 'omit', timeout: 60_000 },
    });
  });

  test('long-polls with a minute for the watchdog, or what the action or the call says', () => {
    const stage = new Stage();
    stage.core.actions.map('slow', 'GET', '/slow', {}, { timeout: 7_000 });
    stage.core.longPoll('get', { id: 1 }, {});
    stage.core.longPoll('slow', {}, {});
    stage.core.longPoll('slow', {}, { timeout: 9_000 });
    const timeouts = stage.link.loops.map(({ declaration }) => declaration.invocation.policy.timeout);
    expect(timeouts).toEqual([60_000, 7_000, 9_000]);
    expect(stage.link.loops[0]?.declaration.pace).toEqual({ kind: 'long-poll' });
  });

  test('of the same action and parameters takes the place of the other', () => {
    const stage = new Stage();
    stage.core.poll('get', { id: 1 }, {});
    stage.core.longPoll('get', { id: '1' }, {});
    stage.core.poll('get', { id: 2 }, {});
    expect(stage.link.asked).toEqual([['stop', 1]]);
  });

  test('keeps its action as it was mapped until it is restarted', () => {
    const stage = new Stage();
    const loop = stage.core.poll('get', { id: 1 }, {});
    stage.core.actions.map('get', 'GET', '/picture/{id}', {}, {});
    loop.restart();
    const templates = stage.link.loops.map(({ declaration }) => declaration.invocation.template);
    expect(templates).toEqual(['/photo/{id}', '/picture/{id}']);
  });

  test.each([99, Number.NaN])('is refused with an interval of %s', (interval) => {
    const stage = new Stage();
    expect(() => stage.core.poll('get', { id: 1 }, { interval })).toThrow(RangeError);
    expect(stage.link.loops).toEqual([]);
  });
});

const CURSOR = { from: { header: 'X-Index' }, to: { query: 'index' } } as const;

describe('a loop with a cursor', () => {
  test('is declared with its place, and a long-poll with its wait and its spread', () => {
    const stage = new Stage();
    stage.core.poll('get', { id: 1 }, { cursor: { ...CURSOR, initial: 0 } });
    stage.core.longPoll('put', {}, { cursor: CURSOR, wait: { prefer: 25 }, spread: 1_000 });
    stage.core.longPoll('put', { id: 2 }, {});
    const [poll, longPoll, plain] = stage.link.loops.map(({ declaration }) => declaration);
    expect(poll).toMatchObject({ cursor: { kind: 'feed', initial: '0', catchUp: null } });
    expect([poll && 'wait' in poll, poll && 'spread' in poll]).toEqual([false, false]);
    expect(longPoll).toMatchObject({
      cursor: { from: { kind: 'header', name: 'X-Index' }, to: { kind: 'query', name: 'index' } },
      wait: { kind: 'prefer', seconds: 25 },
      spread: 1_000,
    });
    expect(plain).toMatchObject({ spread: 3_000 });
    expect([plain && 'cursor' in plain, plain && 'wait' in plain]).toEqual([false, false]);
  });

  test('catches up by an action with its own parameters, and not by its data or its time', () => {
    const stage = new Stage('photos');
    stage.core.actions.map('all', 'GET', '/photos/{id}', { id: REQUIRED }, { timeout: 7_000 });
    const options = { data: { a: 1 }, timeout: 9_000, headers: { 'X-Key': '1' } };
    stage.core.actions.configureRequest(
      (request) => request.setRequestHeader('X-Of', `${request.action} of ${JSON.stringify(request.data)}`),
      'all',
    );
    stage.core.longPoll('put', { id: 1 }, { ...options, cursor: { ...CURSOR, catchUp: 'all' } });
    expect(stage.link.loops[0]?.declaration.cursor?.catchUp).toMatchObject({
      action: 'photos.all',
      method: 'GET',
      template: '/photos/{id}',
      params: [['id', '1']],
      headers: expect.arrayContaining([
        ['X-Key', '1'],
        ['X-Of', 'all of null'],
      ]),
      body: { kind: 'none' },
      policy: { timeout: 7_000, revalidate: true },
    });
  });

  test('takes the parameters of the last call for both', () => {
    const stage = new Stage();
    stage.invoke('put', { id: 7 }, { a: 1 });
    stage.core.longPoll('put', null, { cursor: { ...CURSOR, catchUp: 'get' } });
    const { cursor, invocation } = stage.link.loops[0]?.declaration ?? {};
    expect([invocation?.params, cursor?.catchUp?.params]).toEqual([[['id', '7']], [['id', '7']]]);
    expect([invocation?.body.kind, cursor?.catchUp?.body.kind]).toEqual(['text', 'none']);
  });

  test.each([
    ["Missing parameter 'id'", { ...CURSOR, catchUp: 'get' }],
    ['No route for action gett', { ...CURSOR, catchUp: 'gett' }],
    ["Cursor of 'put': 'plus' must be a whole number, got 0.5", { ...CURSOR, plus: 0.5 }],
  ])('%s is thrown at the call, and nothing is declared', (message, cursor) => {
    const stage = new Stage();
    expect(() => stage.core.longPoll('put', {}, { cursor })).toThrow(message);
    expect(() => stage.core.poll('put', {}, { cursor })).toThrow(message);
    expect(stage.link.loops).toEqual([]);
  });

  test('catches up by what is mapped when it is restarted, and by no change of its options', () => {
    const stage = new Stage();
    const to = { query: 'index' };
    const loop = stage.core.longPoll('put', { id: 1 }, { cursor: { ...CURSOR, to, catchUp: 'get' } });
    stage.core.actions.map('get', 'GET', '/picture/{id}', {}, {});
    to.query = 'other';
    loop.restart();
    const cursors = stage.link.loops.map(({ declaration }) => declaration.cursor);
    expect(cursors.map((cursor) => cursor?.catchUp?.template)).toEqual(['/photo/{id}', '/picture/{id}']);
    expect(cursors[1]?.to).toEqual({ kind: 'query', name: 'index' });
  });

  test('keeps it where its body is read first', async () => {
    const stage = new Stage();
    stage.core.longPoll('put', {}, { cursor: CURSOR, data: new Blob(['a']) });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stage.link.loops).toMatchObject([{ declaration: { cursor: { kind: 'feed' } } }]);
  });
});

describe('a callback', () => {
  test('sees the requests of its action, or of all, until it is removed', () => {
    const stage = new Stage();
    const seen: string[] = [];
    const removeAll = stage.core.actions.configureRequest(
      ({ action }) => void seen.push(`all ${action}`),
      null,
    );
    stage.core.actions.configureRequest(({ action }) => void seen.push(`own ${action}`), 'get');
    stage.invoke('get', { id: 1 });
    stage.invoke('put');
    removeAll();
    stage.invoke('get', { id: 1 });
    expect(seen).toEqual(['all get', 'own get', 'all put', 'own get']);
  });

  test('may be added twice, and is removed one by one', () => {
    const stage = new Stage();
    let runs = 0;
    const callback = (): void => void (runs += 1);
    const remove = stage.core.actions.configureRequest(callback, null);
    stage.core.actions.configureRequest(callback, null);
    remove();
    remove();
    stage.invoke('put');
    expect(runs).toBe(1);
  });

  test('must be a function', () => {
    const none = JSON.parse('null');
    expect(() => new Stage().core.actions.configureRequest(none, null)).toThrow(TypeError);
  });
});

describe('an abort', () => {
  test('ends one invocation, or those of an action and the requests of its loops', () => {
    const stage = new Stage();
    const id = stage.invoke('put');
    stage.invoke('get', { id: 1 });
    stage.core.poll('get', { id: 1 }, {});
    stage.core.abort('get');
    stage.core.abort(id);
    expect(stage.codes).toEqual(['aborted', 'aborted']);
    expect(stage.link.asked).toEqual([
      ['abort', 2],
      ['cut', 3],
      ['abort', 1],
    ]);
  });
});

test('a disposed resource has ended all that it did, and throws at every call', async () => {
  const stage = new Stage();
  const result = stage.core.result(stage.invoke('put')).catch((error: unknown) => error);
  const loop = stage.core.poll('get', { id: 1 }, {});
  stage.core.dispose();
  stage.core.dispose();
  expect(await result).toMatchObject({ code: 'aborted' });
  expect(stage.link.asked).toEqual([
    ['stop', 2],
    ['abort', 1],
  ]);
  const uses = [
    (): unknown => stage.invoke('put'),
    (): unknown => stage.core.refresh('put'),
    (): unknown => stage.core.poll('put', {}, {}),
    (): unknown => stage.core.longPoll('put', {}, {}),
    (): unknown => stage.core.result(1),
    (): unknown => loop.restart(),
    (): void => stage.core.actions.map('new', 'GET', '/', {}, {}),
    (): void => stage.core.abort(1),
    (): void => stage.core.actions.setBaseUrl(''),
    (): unknown => stage.core.actions.configureRequest(() => {}, null),
  ];
  for (const use of uses) expect(use).toThrow('This resource has been disposed');
});

test('whoever watches is called when writes or loops change, until they leave', () => {
  const stage = new Stage();
  const seen: unknown[] = [];
  const watch = (name: string): (() => void) =>
    stage.core.watch(() => seen.push([name, stage.core.pendingWrites, stage.core.nextPollAt('get')]));
  const leave = watch('one');
  watch('two');
  stage.invoke('get', { id: 1 });
  expect(seen).toEqual([]);
  stage.invoke('put');
  expect(seen.splice(0)).toEqual([
    ['one', 1, null],
    ['two', 1, null],
  ]);
  leave();
  leave();
  stage.link.due.set(3, 700);
  stage.core.poll('get', { id: 1 }, {});
  expect(seen.splice(0)).toEqual([['two', 1, 700]]);
  stage.core.dispose();
  expect(seen.at(-1)).toEqual(['two', 0, null]);
});

test('the same function may watch twice, and leaves as often', () => {
  const stage = new Stage();
  let calls = 0;
  const changed = (): void => void (calls += 1);
  const leave = stage.core.watch(changed);
  stage.core.watch(changed);
  stage.invoke('put');
  leave();
  stage.invoke('put');
  expect(calls).toBe(3);
});
