import { describe, expect, test, vi } from 'vitest';
import type { RowsQuery } from '../../shared/part.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { EngineStage } from './engine.fixture.ts';
import { json } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';

const ROWS = Array.from({ length: 200 }, (_, id) => ({ id, title: `Photo ${id}` }));

const PART: RowsQuery = { pointer: '/items', start: 7, count: 2 };

/** Answers one after the other. */
function serving(...values: readonly unknown[]): Serve {
  let nth = 0;
  return () => json(values[Math.min(nth++, values.length - 1)]);
}

/** What of an answer is had, its text parsed. */
async function part(stage: EngineStage, wish: Partial<RowsQuery> = {}): Promise<unknown> {
  const answer = await stage.engine.part(invocation({}), { ...PART, ...wish });
  if (answer.kind !== 'rows') return answer.kind;
  return { n: answer.revision.number, total: answer.total, rows: JSON.parse(answer.text) };
}

describe('rows of an answer are had', () => {
  test('of the newest that is stored, whoever asked for it', async () => {
    const stage = new EngineStage(serving({ items: ROWS }, { items: ROWS.slice(1) }));
    await stage.revise();
    expect(await part(stage)).toEqual({ n: 1, total: 200, rows: [ROWS[7], ROWS[8]] });
    await stage.invoke();
    expect(await part(stage)).toEqual({ n: 2, total: 199, rows: [ROWS[8], ROWS[9]] });
  });

  test('in another life of the worker, which reads the bytes once', async () => {
    const stage = new EngineStage(serving({ items: ROWS, other: ROWS }));
    await stage.revise();
    const next = stage.reborn();
    const body = vi.spyOn(next.responses, 'body');
    expect(await part(next)).toEqual({ n: 1, total: 200, rows: [ROWS[7], ROWS[8]] });
    expect(await part(next, { start: 199 })).toEqual({ n: 1, total: 200, rows: [ROWS[199]] });
    expect(body).toHaveBeenCalledTimes(1);
    expect(await part(next, { pointer: '/other', start: 0 })).toMatchObject({ rows: ROWS.slice(0, 2) });
  });

  test('without a look at the storage where the answer was compared', async () => {
    const stage = new EngineStage(serving({ items: ROWS }));
    await stage.revise();
    const body = vi.spyOn(stage.responses, 'body');
    expect(await part(stage)).toMatchObject({ total: 200 });
    expect(await part(stage, { pointer: '' })).toBe('no-list');
    expect(body).not.toHaveBeenCalled();
  });

  test('of an answer of a few bytes', async () => {
    const stage = new EngineStage(serving({ items: [1, 2, 3] }));
    await stage.invoke();
    expect(await part(stage, { start: 1 })).toEqual({ n: 1, total: 3, rows: [2, 3] });
  });

  test('though what was found is replaced before it is read', async () => {
    const stage = new EngineStage(serving({ items: ROWS }, { items: ROWS.slice(1) }));
    await stage.invoke();
    const read = stage.responses.body.bind(stage.responses);
    vi.spyOn(stage.responses, 'body').mockImplementationOnce(async (...given) => {
      await stage.invoke();
      return read(...given);
    });
    expect(await part(stage)).toMatchObject({ n: 2, total: 199 });
  });
});

describe('no rows are had', () => {
  test('of what is not stored', async () => {
    const stage = new EngineStage(() => json({ items: ROWS }, { 'Cache-Control': 'no-store' }));
    expect(await part(stage)).toBe('not-stored');
    await stage.invoke();
    expect(await part(stage)).toBe('not-stored');
  });

  test('of what is no list, or no JSON', async () => {
    const stage = new EngineStage(serving({ items: {} }));
    await stage.invoke();
    expect(await part(stage)).toBe('no-list');
    const text = new EngineStage(
      () => new Response('{"items":[1]}', { headers: { 'Content-Type': 'text/plain' } }),
    );
    await text.invoke();
    expect(await part(text)).toBe('no-list');
  });

  test('of a URL that may not be asked', async () => {
    const stage = new EngineStage(serving({ items: ROWS }));
    const refused = invocation({ template: 'https://elsewhere.example/' });
    expect(await stage.engine.part(refused, PART)).toEqual({ kind: 'not-stored' });
  });
});

function call(name: string, ...given: unknown[]): { readonly name: string; readonly given: string } {
  return { name, given: JSON.stringify(given) };
}

describe('rows are filtered and sorted', () => {
  const FUNCTIONS = {
    even: ({ id }: { id: number }) => id % 2 === 0,
    above: ({ id }: { id: number }, least: number) => id > least,
    downwards: (one: { id: number }, other: { id: number }) => other.id - one.id,
    late: async () => true,
    broken: () => {
      throw new RangeError('no');
    },
    schema: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
  } as const;

  async function arranged(): Promise<EngineStage> {
    const stage = new EngineStage(serving({ items: ROWS }, { items: ROWS.slice(0, 100) }));
    stage.functions = FUNCTIONS;
    await stage.revise();
    return stage;
  }

  test.each<[string, Partial<RowsQuery>, total: number, ids: number[]]>([
    ['by a filter', { filter: call('even') }, 100, [14, 16]],
    ['by a filter that is given more than the row', { filter: call('above', 150) }, 49, [158, 159]],
    ['by a sorter', { sorter: call('downwards') }, 200, [192, 191]],
    ['by both', { filter: call('even'), sorter: call('downwards') }, 100, [184, 182]],
    ['to nothing', { filter: call('above', 999) }, 0, []],
  ])('%s', async (_what, wish, total, ids) => {
    expect(await part(await arranged(), wish)).toEqual({ n: 1, total, rows: ids.map((id) => ROWS[id]) });
  });

  test('once an answer, which scrolling does not change', async () => {
    const stage = await arranged();
    let calls = 0;
    stage.functions = { counted: () => (calls += 1) };
    const filter = call('counted');
    await part(stage, { filter });
    await part(stage, { filter, start: 90 });
    expect(calls).toBe(200);
    await stage.revise();
    expect(await part(stage, { filter })).toMatchObject({ n: 2, total: 100 });
    expect(calls).toBe(300);
  });

  test.each([
    ['that is not there', call('other'), "no function 'other'"],
    ['that is none of rows', call('schema'), "'schema' is no function of rows"],
    ['that gives a promise', call('late'), 'it returns a promise, which schemas alone may'],
    ['that throws', call('broken'), 'The rows cannot be filtered or sorted: RangeError: no'],
    ['that is given no list', { name: 'even', given: '1' }, 'must be a list'],
    ['that is given no JSON', { name: 'even', given: '[' }, 'SyntaxError'],
  ])('unless by a function %s', async (_what, filter, message) => {
    const stage = await arranged();
    expect(await stage.part({ ...PART, filter })).toMatchObject({
      kind: 'failed',
      failure: { code: 'function', message: expect.stringContaining(message) },
    });
    expect(await part(stage)).toMatchObject({ total: 200 });
  });
});
