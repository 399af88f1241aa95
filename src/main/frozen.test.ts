import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Outcome } from '../shared/outcome.ts';
import { frozen } from './development.ts';
import { answered, refused } from './session/invocation.fixture.ts';
import { ResourceCore } from './resource/core.ts';
import { FakeLink, SILENT } from './resource/link.fixture.ts';
import { call } from './resource/notice.fixture.ts';
import { immutable, settledNotice } from './resource/notice.ts';
import type { Notice } from './resource/notice.ts';
import { schema } from './resource/schema.fixture.ts';
import type { StandardSchemaV1 } from '../shared/standard-schema.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** What a resource tells of an answer, and what `result` gives. */
async function told(
  outcome: Outcome,
  response?: StandardSchemaV1,
): Promise<{ notice: Notice; result: unknown }> {
  const link = new FakeLink();
  const notices: Notice[] = [];
  const core = new ResourceCore('', {
    name: '',
    link: () => link,
    documentUrl: () => 'https://page.example/',
    notify: (notice) => notices.push(notice),
    interest: () => SILENT,
    hears: () => true,
  });
  core.actions.map('get', 'GET', '/photo', null, response ? { response } : {});
  const result = core.result(core.invoke('get', {}, null, {})).catch((error: unknown) => error);
  link.settle(outcome);
  await result;
  const notice = notices.find(({ type }) => type === 'success' || type === 'error');
  if (!notice) throw new Error('nothing was told');
  return { notice, result: await result };
}

/** An answer of data that is noted when anybody looks into it. */
function watched(): { readonly outcome: Outcome; readonly looks: string[] } {
  const looks: string[] = [];
  const value = {
    get inside() {
      looks.push('inside');
      return [];
    },
  };
  return { outcome: answered(value), looks };
}

/** A refusal, and what its body holds. */
function refusedFor(field: object): Outcome {
  return {
    ...refused(422),
    failure: { code: 'http', message: 'no', status: 422, body: { fields: [field] } },
  };
}

function bodyOf({ error }: Notice): unknown {
  return error?.failure.code === 'http' ? error.failure.body : null;
}

describe('in development builds', () => {
  test('a response is frozen, however deep, and `result` gives the same', async () => {
    const author = { name: 'Ada' };
    const rows = [{ author }];
    const { notice, result } = await told(answered({ rows }));
    expect([notice.response, rows, rows[0], author].map((part) => Object.isFrozen(part))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(result).toBe(notice.response);
  });

  test('so is the body of a failure', async () => {
    const field = { name: 'title' };
    const { notice, result } = await told(refusedFor(field));
    expect(bodyOf(notice)).toEqual({ fields: [field] });
    expect([bodyOf(notice), field].map((part) => Object.isFrozen(part))).toEqual([true, true]);
    expect(result).toBe(notice.error);
  });

  test('so is what a schema makes of an answer', async () => {
    const made = { made: true };
    const { notice } = await told(
      answered('a'),
      schema(() => ({ value: made })),
    );
    expect(notice.response).toBe(made);
    expect(Object.isFrozen(made)).toBe(true);
  });

  test('what is no plain data is left alone, in plain data too', () => {
    class Photo {
      readonly tags: string[] = [];
    }
    const parts = [new Blob(['a']), new Date(0), new Photo(), new Map(), new Uint8Array(2), () => 1];
    frozen({ parts });
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => false));
    expect(Object.isFrozen(parts)).toBe(true);
    const bytes = { kind: 'bytes', bytes: new ArrayBuffer(1), type: 'image/png' } as const;
    const outcome: Outcome = { ...answered(), answer: { status: 200, headers: [], body: bytes } };
    const blob = immutable(settledNotice(call(1), outcome)).response;
    expect([blob instanceof Blob, Object.isFrozen(blob)]).toEqual([true, false]);
  });

  test('what has no prototype is plain data', () => {
    expect(Object.isFrozen(frozen(Object.create(null)))).toBe(true);
  });

  test.each([null, undefined, 1, 'text', true])('%j stays what it is', (value) => {
    expect(frozen(value)).toBe(value);
  });

  test('an answer may be deeper than the stack reaches, wider than a call takes, and run in circles', () => {
    const deepest: { inside?: unknown } = {};
    let deep: unknown = deepest;
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    deepest.inside = Array.from({ length: 300_000 }, () => ({}));
    Object.assign(deepest, { circle: deep });
    frozen(deep);
    expect(Object.isFrozen(deepest)).toBe(true);
    expect(Array.isArray(deepest.inside) && deepest.inside.every((each) => Object.isFrozen(each))).toBe(true);
  });

  test('what is frozen already is not walked again', async () => {
    const { outcome, looks } = watched();
    if (outcome.kind !== 'answered' || outcome.answer.body.kind !== 'value') throw new Error('no value');
    frozen(outcome.answer.body.value);
    frozen(outcome.answer.body.value);
    expect(looks).toEqual(['inside']);
  });
});

describe('in production builds', () => {
  test('nothing is frozen, and nobody looks into it', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { outcome, looks } = watched();
    const { notice } = await told(outcome);
    expect([Object.isFrozen(notice.response), looks]).toEqual([false, []]);
    const failed = await told(refusedFor({}));
    expect(bodyOf(failed.notice)).toEqual({ fields: [{}] });
    expect(Object.isFrozen(bodyOf(failed.notice))).toBe(false);
  });

  test('as against development builds, where the same is', async () => {
    const { outcome, looks } = watched();
    const { notice } = await told(outcome);
    expect([Object.isFrozen(notice.response), looks]).toEqual([true, ['inside']]);
  });
});
