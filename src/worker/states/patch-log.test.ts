import { describe, expect, test } from 'vitest';
import type { Outcome, Revision } from '../../shared/outcome.ts';
import type { Patch } from '../../shared/patch.ts';
import type { SentBody } from '../../shared/delivery.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import type { ReadAnswered, PatchFrom } from '../contracts/read-body.ts';
import { PatchLog } from './publisher.ts';

function at(number: number, lineage = 'a'): Revision {
  return { lineage, number };
}

function patch(rows: string): Patch {
  return { path: [], envelope: null, change: { kind: 'list', runs: [-1, 1], rows } };
}

/** Revision `n`, made of the one before by a patch that says so. */
function revised(
  n: number,
  patchFrom: PatchFrom | null = { from: at(n - 1), patch: patch(`[${n}]`) },
): ReadAnswered {
  const bytes = new TextEncoder().encode(`["${'whole '.repeat(100)}${n}"]`).buffer;
  return {
    ...answered(),
    revision: at(n),
    answer: { status: 200, headers: [], body: { kind: 'json', bytes, patchFrom, chunks: null } },
  };
}

/** What a page is sent: the whole, or which patches. */
function gist(outcome: Outcome<SentBody>): unknown {
  if (outcome.kind === 'failed') return outcome.failure.code;
  const { body } = outcome.answer;
  if (body.kind === 'patches')
    return [body.from.number, body.patches.map(({ change }) => change?.kind === 'list' && change.rows)];
  return body.kind === 'json' ? 'whole' : body.kind;
}

/** A publication that has noted these. */
function noted(...outcomes: readonly ReadAnswered[]): PatchLog {
  const publication = new PatchLog();
  for (const outcome of outcomes) publication.note(outcome);
  return publication;
}

describe('a page is sent', () => {
  test('the whole where it has nothing, or a revision that nothing leads from', () => {
    const publication = noted(revised(2), revised(3));
    for (const has of [null, at(9), at(1, 'b')])
      expect(gist(publication.outcomeFor(revised(3), has))).toBe('whole');
  });

  test('what has changed since the revision that it has', () => {
    const publication = noted(revised(2), revised(3), revised(4));
    expect(gist(publication.outcomeFor(revised(4), at(3)))).toEqual([3, ['[4]']]);
    expect(gist(publication.outcomeFor(revised(4), at(1)))).toEqual([1, ['[2]', '[3]', '[4]']]);
  });

  test('what has changed up to the answer that it is told, though a newer one has come', () => {
    const publication = noted(revised(2), revised(3));
    expect(gist(publication.outcomeFor(revised(2), at(1)))).toEqual([1, ['[2]']]);
    expect(gist(publication.outcomeFor(revised(2), at(3)))).toBe('whole');
  });

  test('nothing where it has that revision, whatever is known of others', () => {
    expect(gist(noted().outcomeFor(revised(5, null), at(5)))).toEqual([5, []]);
  });

  test('that nothing has changed, where only the bytes have', () => {
    const publication = noted(revised(2), revised(3, { from: at(2), patch: null }), revised(4));
    const { answer } = publication.outcomeFor(revised(4), at(1));
    expect(answer).toMatchObject({
      body: {
        kind: 'patches',
        from: at(1),
        patches: [patch('[2]'), { envelope: null, change: null }, patch('[4]')],
      },
    });
  });

  test('a failure as it is, and a body that is parsed', () => {
    expect(gist(noted().outcomeFor(failed('network'), at(1)))).toBe('network');
    expect(gist(noted().outcomeFor({ ...answered(), revision: at(1) }, at(1)))).toBe('value');
  });

  test('the same text as the other pages', () => {
    const outcome = revised(1, null);
    const publication = noted(outcome);
    const [one, other] = [publication.outcomeFor(outcome, null), publication.outcomeFor(outcome, null)];
    expect(one).toEqual(other);
    expect(one).toMatchObject({
      answer: { body: { kind: 'json', text: expect.stringContaining('whole 1') } },
    });
  });
});

describe('the patches that are kept', () => {
  test('outlive an answer without news', () => {
    const same = revised(2, { from: at(2), patch: null });
    expect(gist(noted(revised(2), same, revised(3)).outcomeFor(revised(3), at(1)))).toEqual([
      1,
      ['[2]', '[3]'],
    ]);
    const kept = noted(revised(2), revised(2, null), revised(3));
    expect(gist(kept.outcomeFor(revised(3), at(1)))).toEqual([1, ['[2]', '[3]']]);
  });

  test('end with an answer that was sent whole', () => {
    const publication = noted(revised(2), revised(3, null), revised(4));
    expect(gist(publication.outcomeFor(revised(4), at(1)))).toBe('whole');
    expect(gist(publication.outcomeFor(revised(4), at(3)))).toEqual([3, ['[4]']]);
  });

  test('end with a gap', () => {
    const publication = noted(revised(2), revised(4));
    expect(gist(publication.outcomeFor(revised(4), at(1)))).toBe('whole');
    expect(gist(publication.outcomeFor(revised(4), at(3)))).toEqual([3, ['[4]']]);
  });

  test('are not affected by what is told of a failure, or is not kept', () => {
    const publication = noted(revised(2));
    publication.note(failed('network'));
    publication.note(answered());
    publication.note(revised(3));
    expect(gist(publication.outcomeFor(revised(3), at(1)))).toEqual([1, ['[2]', '[3]']]);
  });

  test('are a hundred at most', () => {
    const publication = new PatchLog();
    const big = new ArrayBuffer(1_000_000);
    for (let n = 2; n <= 102; n += 1) {
      const outcome = revised(n);
      const { answer } = outcome;
      const body = {
        kind: 'json',
        bytes: big,
        patchFrom: { from: at(n - 1), patch: patch('[1]') },
        chunks: null,
      } as const;
      publication.note({ ...outcome, answer: { ...answer, body } });
    }
    expect(gist(publication.outcomeFor(revised(102), at(1)))).toBe('whole');
    expect(gist(publication.outcomeFor(revised(102), at(2)))).toHaveProperty('1.length', 100);
  });

  test('take less than half of the whole', () => {
    const large = (n: number): ReadAnswered =>
      revised(n, { from: at(n - 1), patch: patch(`["${'x'.repeat(180)}"]`) });
    const publication = noted(large(2), large(3));
    expect(gist(publication.outcomeFor(large(3), at(1)))).toBe('whole');
    expect(gist(publication.outcomeFor(large(3), at(2)))).toHaveProperty('0', 2);
  });
});
