import { describe, expect, test } from 'vitest';
import { answered, refused } from '../session/invocation.fixture.ts';
import type { ActionOptions } from './action.ts';
import { ResourceCore } from './core.ts';
import { FakeLink, SILENT } from './link.fixture.ts';
import type { Notice } from './notice.ts';
import { headerValue, TEXT_ACCEPT } from '../../shared/header.ts';
import { TEXT } from '../../shared/standard-schema.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';
import { schema, TITLED, TITLED_LATER } from './schema.fixture.ts';

/** Holds an answer until it is let go. */
class Gate {
  readonly #waiting: (() => void)[] = [];
  readonly schema = schema((value) => {
    if (value === 'at once') return { value };
    return new Promise<{ value: unknown }>((resolve) => this.#waiting.push(() => resolve({ value })));
  });

  open(which: number): void {
    this.#waiting[which]?.();
  }
}

class Stage {
  readonly link: FakeLink = new FakeLink();
  readonly notices: Notice[] = [];
  readonly core: ResourceCore = new ResourceCore('', {
    name: '',
    link: () => this.link,
    documentUrl: () => 'https://page.example/',
    notify: (notice) => this.notices.push(notice),
    interest: () => SILENT,
    hears: () => true,
  });

  constructor(response: StandardSchemaV1 = TITLED) {
    this.core.actions.map('get', 'GET', '/photo', undefined, { response });
    this.core.actions.map('put', 'PUT', '/photo', undefined, {});
  }

  /** The type, id and response of each end. */
  get ends(): unknown[] {
    return this.notices
      .filter(({ type }) => type !== 'started')
      .map(({ type, id, response }) => [type, id, response]);
  }

  invoke(action = 'get'): number {
    return this.core.invoke(action, {}, null, {});
  }

  settle(call: number, value: unknown): void {
    this.link.calls[call]?.listener.settled(answered(value));
  }
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const code = (result: Promise<unknown>): Promise<unknown> =>
  result.catch((error: { code: unknown }) => error.code);

describe('an answer', () => {
  test('is held against the schema of its action before it is told', async () => {
    const stage = new Stage();
    const [good, bad, other] = [stage.invoke(), stage.invoke(), stage.invoke('put')];
    await settled();
    stage.settle(0, { title: 'dawn' });
    stage.settle(1, { title: 1 });
    stage.settle(2, { title: 1 });
    expect(stage.ends).toEqual([
      ['success', good, { title: 'DAWN' }],
      ['error', bad, { title: 1 }],
      ['success', other, { title: 1 }],
    ]);
    expect(await stage.core.result(good)).toEqual({ title: 'DAWN' });
    expect(await code(stage.core.result(bad))).toBe('schema');
  });

  test('of a tick as well, and the loop goes on', async () => {
    const stage = new Stage();
    stage.core.poll('get', {}, {});
    stage.link.tick(answered({ title: 1 }));
    stage.link.tick(answered({ title: 'dusk' }));
    expect(stage.ends).toMatchObject([
      ['error', 2, { title: 1 }],
      ['success', 3, { title: 'DUSK' }],
    ]);
    expect(await code(stage.core.result(3))).toEqual({ title: 'DUSK' });
    expect(stage.link.asked).toEqual([]);
  });

  test('is judged by the schema that the action had when it was invoked', async () => {
    const stage = new Stage();
    stage.invoke();
    stage.core.actions.map('get', 'GET', '/photo', undefined, {});
    stage.settle(0, { title: 'dawn' });
    expect(stage.notices.at(-1)?.response).toEqual({ title: 'DAWN' });
  });
});

describe('a schema that takes its time', () => {
  test('is waited for', async () => {
    const stage = new Stage(TITLED_LATER);
    const id = stage.invoke();
    stage.settle(0, { title: 'dawn' });
    expect(stage.ends).toEqual([]);
    expect(await stage.core.result(id)).toEqual({ title: 'DAWN' });
    expect(stage.ends).toEqual([['success', id, { title: 'DAWN' }]]);
  });

  test('does not change the order in which an action’s answers are told', async () => {
    const gate = new Gate();
    const stage = new Stage();
    stage.core.actions.map('get', 'GET', '/photo', undefined, { response: gate.schema });
    const [first, second, third, other] = [
      stage.invoke(),
      stage.invoke(),
      stage.invoke(),
      stage.invoke('put'),
    ];
    await settled();
    stage.settle(0, 'a');
    stage.settle(1, 'b');
    stage.link.calls[2]?.listener.settled(refused(404));
    stage.settle(3, 'c');
    stage.core.poll('get', {}, {});
    stage.link.tick(answered('at once'));
    gate.open(1);
    await settled();
    expect(stage.ends).toEqual([['success', other, 'c']]);
    gate.open(0);
    await settled();
    expect(stage.ends.slice(1)).toEqual([
      ['success', first, 'a'],
      ['success', second, 'b'],
      ['error', third, 'no'],
      ['success', 6, 'at once'],
    ]);
    stage.invoke();
    stage.settle(4, 'at once');
    expect(stage.ends.at(-1)).toEqual(['success', 7, 'at once']);
  });

  test('does not keep a call from being aborted', async () => {
    const gate = new Gate();
    const stage = new Stage();
    stage.core.actions.map('get', 'GET', '/photo', undefined, { response: gate.schema });
    const id = stage.invoke();
    stage.settle(0, 'a');
    stage.core.abort(id);
    expect(await code(stage.core.result(id))).toBe('aborted');
    gate.open(0);
    await settled();
    expect(stage.ends).toEqual([['error', id, null]]);
  });

  test.each(['stop', 'restart'] as const)('tells nothing of a tick whose loop has seen a %s', async (end) => {
    const gate = new Gate();
    const stage = new Stage();
    stage.core.actions.map('get', 'GET', '/photo', undefined, { response: gate.schema });
    const loop = stage.core.poll('get', {}, {});
    stage.link.tick(answered('a'));
    const result = code(stage.core.result(2));
    loop[end]();
    gate.open(0);
    await settled();
    expect([stage.ends, await result]).toEqual([[], 'aborted']);
  });

  test('tells the last tick of a loop that has ended by itself', async () => {
    const gate = new Gate();
    const stage = new Stage();
    stage.core.actions.map('get', 'GET', '/photo', undefined, { response: gate.schema });
    stage.core.poll('get', {}, {});
    stage.link.tick(answered('a'), true);
    gate.open(0);
    await settled();
    expect(stage.ends).toEqual([['success', 2, 'a']]);
  });
});

test('what is no schema is refused where it is declared', () => {
  const stage = new Stage();
  const options: ActionOptions = JSON.parse('{"response":{}}');
  expect(() => stage.core.actions.map('get', 'GET', '/', undefined, options)).toThrow(
    "Response of 'get' must be a Standard Schema",
  );
});

describe('an answer of text', () => {
  test('is asked for as text, and told as it is; an empty one is empty', async () => {
    const stage = new Stage(TEXT);
    stage.invoke();
    expect(headerValue(stage.link.calls[0]?.submission.invocation.headers ?? [], 'accept')).toBe(TEXT_ACCEPT);
    stage.settle(0, '<p>Hello');
    stage.invoke();
    stage.settle(1, null);
    await settled();
    expect(stage.ends).toEqual([
      ['success', 1, '<p>Hello'],
      ['success', 2, ''],
    ]);
  });

  test('is an error where it is JSON', async () => {
    const stage = new Stage(TEXT);
    stage.invoke();
    stage.settle(0, { id: 1 });
    await settled();
    expect(stage.notices.at(-1)?.error?.message).toBe(
      "The answer of 'get' is not what its schema says: It is not text",
    );
  });
});
