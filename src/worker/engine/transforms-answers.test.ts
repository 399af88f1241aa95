import { describe, expect, test } from 'vitest';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { parsed, stateOf } from '../contracts/read-body.ts';
import { json, unreachable } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';

const ETAG = { ETag: '"1"' };

const confirming: Serve = ({ headers }) =>
  headers.has('if-none-match') ? new Response(null, { status: 304 }) : json([3, 1, 2], ETAG);

/** Lets lists pass, and doubles their numbers. */
const numbers: StandardSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: async (value) =>
      Array.isArray(value)
        ? { value: value.map((each) => Number(each) * 2) }
        : { issues: [{ message: 'is no list', path: ['rows', { key: 0 }] }] },
  },
};

const FUNCTIONS = {
  sorted: (list: number[]) => list.toSorted((a, b) => a - b),
  first: ([first]: number[]) => first,
  numbers,
  late: async () => [],
  big: () => [1n],
  broken: () => {
    throw new RangeError('no');
  },
};

function stageOf(serve: Serve = () => json([3, 1, 2])): EngineStage {
  const stage = new EngineStage(serve);
  stage.functions = FUNCTIONS;
  return stage;
}

const through = (...transform: string[]): { policy: { transform: string[] } } => ({ policy: { transform } });

function rows(count: number): { readonly id: number; readonly text: string }[] {
  return Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(100) }));
}

describe('an answer', () => {
  test.each([
    ['goes through a function', ['sorted'], [1, 2, 3]],
    ['goes through several, in their order', ['sorted', 'first'], 1],
    ['goes through a schema, which may take its time', ['numbers'], [6, 2, 4]],
    ['stays what it is without', [], [3, 1, 2]],
  ])('%s', async (_what, names, made) => {
    const stage = stageOf();
    expect(gist(await stage.invoke(through(...names)))).toEqual(made);
    expect(gist(parsed(await stage.call(through(...names))))).toEqual(made);
  });

  test.each([
    [
      'a function that is not there',
      'other',
      'function',
      "no function 'other' (it has sorted, first, numbers, late, big, broken)",
    ],
    ['a function of every object', 'toString', 'function', "no function 'toString'"],
    ['a function that throws', 'broken', 'function', "'broken' failed: RangeError: no"],
    ['a schema that refuses it', 'numbers', 'schema', "'numbers' says: rows.0: is no list"],
    ['a function that gives nothing', 'first', 'function', '(first) gave nothing'],
    ['a function that gives a promise', 'late', 'function', "'late' failed: TypeError: it returns a promise"],
    [
      'a function that gives what JSON cannot say',
      'big',
      'function',
      '(big) gave what is no JSON: TypeError',
    ],
  ])('fails by %s', async (_what, name, code, message) => {
    const stage = stageOf(() => json(name === 'first' ? [] : {}));
    const outcome = await stage.invoke(through(name));
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code } });
    expect(outcome.kind === 'failed' && outcome.failure.message).toContain(message);
    expect(await stage.entries).toBe(0);
  });

  test.each(['broken', 'numbers'])(
    'to a deletion says that it has deleted, though %s refuses it',
    async (name) => {
      const stage = stageOf();
      await stage.invoke();
      stage.system.serve = () => json({});
      const outcome = await stage.call({ method: 'DELETE', ...through(name) });
      expect(outcome.kind).toBe('failed');
      expect(await stage.newest()).toBeNull();
    },
  );

  test('to a write is told as the schema that refuses it was given it; one to a read is not', async () => {
    const stage = stageOf(() => json({ id: 7 }, {}, 201));
    expect(await stage.call({ method: 'POST', ...through('numbers') })).toMatchObject({
      failure: { code: 'schema' },
      answer: { status: 201, body: { kind: 'value', value: { id: 7 } } },
    });
    expect(await stage.call(through('numbers'))).toMatchObject({ answer: null });
  });

  test('is not asked for where a function is not there', async () => {
    const stage = stageOf();
    await stage.invoke(through('sorted', 'other'));
    expect(stage.system.requests).toHaveLength(0);
  });

  test('that is no JSON fails, unless it is empty', async () => {
    const stage = stageOf(() => new Response('text', { headers: { 'Content-Type': 'text/plain' } }));
    expect(await stage.invoke(through('sorted'))).toMatchObject({
      failure: {
        code: 'function',
        message: "The 'transform' of 'get' takes JSON; the answer is of text/plain",
      },
    });
    stage.system.serve = () => new Response(null, { status: 204 });
    expect(gist(await stage.invoke(through('sorted')))).toBeNull();
  });

  test('that is none, though it says so, fails as it does without', async () => {
    const text = `[${'1,'.repeat(40_000)}`;
    const stage = stageOf(() => new Response(text, { headers: { 'Content-Type': 'application/json' } }));
    expect(await stage.call(through('sorted'))).toMatchObject({ failure: { code: 'parse' } });
    expect(await stage.invoke(through('sorted'))).toMatchObject({ failure: { code: 'parse' } });
  });
});

describe('what was made of an answer', () => {
  test('is stored as such, beside the answer as it came and what others make of it', async () => {
    const stage = stageOf(confirming);
    const made = await stage.invoke(through('sorted'));
    expect(gist(await stage.invoke())).toEqual([3, 1, 2]);
    expect(gist(await stage.invoke(through('first')))).toBe(3);
    expect(await stage.entries).toBe(3);
    expect(await stage.invoke(through('sorted'))).toMatchObject({
      answer: made.answer,
      confirmed: true,
      changed: false,
    });
    stage.system.serve = unreachable;
    expect(gist(await stage.invoke(through('sorted')))).toEqual([1, 2, 3]);
    expect(gist(await stage.invoke(through('first')))).toBe(3);
  });

  test('has not changed where the answer has, and it has not', async () => {
    const stage = stageOf(({ at }) => json([at, 0]));
    await stage.invoke(through('sorted', 'first'));
    await stage.system.clock.advance(1);
    expect(await stage.invoke(through('sorted', 'first'))).toMatchObject({ changed: false });
  });

  test('is another where the function is another, in the next version of a worker', async () => {
    const stage = stageOf(confirming);
    await stage.invoke(through('sorted'));
    const next = stage.reborn();
    next.functions = { sorted: (list: number[]) => list.toSorted((a, b) => b - a) };
    expect(gist(await next.invoke(through('sorted')))).toEqual([3, 2, 1]);
  });

  test('is told as what has changed in it', async () => {
    const stage = stageOf(({ at }) => json(at === 0 ? rows(50) : rows(51)));
    stage.functions = { turned: (list: unknown[]) => list.toReversed() };
    const first = await stage.revise(through('turned'));
    await stage.system.clock.advance(1);
    const second = await stage.revise(through('turned'));
    expect(first.kind === 'answered' && second.kind === 'answered' && second.answer.body).toMatchObject({
      kind: 'json',
      patchFrom: { from: first.kind === 'answered' ? stateOf(first) : null, patch: {} },
    });
    const part = await stage.part({ pointer: '', start: 0, count: 1 }, through('turned'));
    expect(part).toMatchObject({ kind: 'rows', total: 51, text: JSON.stringify(rows(51).slice(50)) });
  });
});
