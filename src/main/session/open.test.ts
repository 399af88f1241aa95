import { describe, expect, test } from 'vitest';
import type { Answered, Outcome, Revision } from '../../shared/outcome.ts';
import type { Patch } from '../../shared/patch.ts';
import type { SentBody } from '../../shared/delivery.ts';
import { answered, refused } from './invocation.fixture.ts';
import { copyOf, open as openWith, Rows } from './answers.ts';
import type { Copy } from './answers.ts';

const FIRST: Revision = { lineage: 'a', number: 1 };
const ROWS = [{ id: 1 }, { id: 2 }];
const COPY = { state: FIRST, revision: FIRST, value: ROWS, size: 0 };

/** Keeps the first row, and puts another in the place of the second. */
const PATCH: Patch = {
  path: [],
  envelope: null,
  change: { kind: 'list', runs: [0, 1, -1, 1], rows: '[{"id":3}]' },
};

function sent(body: SentBody, wish: Partial<Answered> = {}): Answered<SentBody> {
  const { answer, ...rest } = answered(null, wish);
  return { ...rest, answer: { ...answer, body } };
}

function open(outcome: Outcome<SentBody>, copy: Copy | null): Outcome | null {
  return openWith(outcome, copy, new Rows());
}

function value(outcome: Outcome | null): unknown {
  const body = outcome?.kind === 'answered' ? outcome.answer.body : null;
  return body?.kind === 'value' ? body.value : body;
}

describe('a body', () => {
  test('that is text is parsed', () => {
    expect(value(open(sent({ kind: 'json', text: '{"__proto__":1}' }), null))).toEqual(
      JSON.parse('{"__proto__":1}'),
    );
  });

  test('that is parsed, or bytes, is as it is, and so is a failure', () => {
    const bytes = { kind: 'bytes', bytes: new ArrayBuffer(1), type: 'image/png' } as const;
    for (const outcome of [answered('a'), sent(bytes), refused(404)])
      expect(open(outcome, null)).toEqual(outcome);
  });

  test('that the worker has parsed, as it does with a short one, keeps the rows of the one before', () => {
    const rows = new Rows();
    const first = value(openWith(answered([{ id: 1 }, { id: 2 }]), null, rows));
    const second = value(openWith(answered([{ id: 1 }, { id: 3 }]), null, rows));
    expect(second).toEqual([{ id: 1 }, { id: 3 }]);
    expect(Object(second)[0]).toBe(Object(first)[0]);
    expect(value(openWith(answered([{ id: 1 }, { id: 3 }]), null, rows))).toBe(second);
  });

  test('is made of the one before, no row of which is looked at that is not changed', () => {
    let looks = 0;
    const first = {
      get id(): number {
        looks += 1;
        return 1;
      },
    };
    const rows = new Rows();
    const copy = copyOf(answered([first, { id: 2 }]), answered([first, { id: 2 }], { revision: FIRST }));
    rows.last.keep(copy?.value, FIRST);
    looks = 0;
    const opened = value(openWith(sent({ kind: 'patches', from: FIRST, patches: [PATCH] }), copy, rows));
    expect([Object(opened)[0] === first, looks]).toEqual([true, 0]);
  });

  test('is made of the one before, whose rows it keeps', () => {
    const rows = value(open(sent({ kind: 'patches', from: FIRST, patches: [PATCH] }), COPY));
    expect(rows).toEqual([{ id: 1 }, { id: 3 }]);
    expect(Object(rows)[0]).toBe(ROWS[0]);
  });

  test('is made by several patches, one after the other', () => {
    const rows = value(open(sent({ kind: 'patches', from: FIRST, patches: [PATCH, PATCH] }), COPY));
    expect(rows).toEqual([{ id: 1 }, { id: 3 }]);
  });

  test('that has not changed is the very one before', () => {
    expect(value(open(sent({ kind: 'patches', from: FIRST, patches: [] }), COPY))).toBe(ROWS);
  });
});

describe('only the whole is of use', () => {
  const body = { kind: 'patches', from: FIRST, patches: [PATCH] } as const;

  test('to a page that has nothing, or another revision', () => {
    expect(open(sent(body), null)).toBeNull();
    for (const state of [
      { lineage: 'a', number: 2 },
      { lineage: 'b', number: 1 },
    ]) {
      expect(open(sent(body), { ...COPY, state })).toBeNull();
    }
  });

  test('where somebody has changed what the patch is made for', () => {
    for (const changed of [[], 'text', null])
      expect(open(sent(body), { ...COPY, value: changed })).toBeNull();
  });
});

test('what is kept for later patches is a parsed body that has a revision, or a name while the worker lives', () => {
  const text = sent({ kind: 'json', text: '' });
  expect(copyOf(text, answered(ROWS, { revision: FIRST }))).toEqual(COPY);
  expect(copyOf(text, answered(ROWS))).toBeNull();
  const named = sent({ kind: 'json', text: '', as: FIRST });
  expect(copyOf(named, answered(ROWS))).toEqual({ ...COPY, revision: null });
  const bytes = { kind: 'bytes', bytes: new ArrayBuffer(1), type: '' } as const;
  const { answer, ...rest } = answered(null, { revision: FIRST });
  expect(copyOf(sent(bytes), { ...rest, answer: { ...answer, body: bytes } })).toBeNull();
});
