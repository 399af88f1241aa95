import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyByteChange } from '../../worker/contracts/byte-delta.fixture.ts';
import {
  blows,
  bytesOf,
  finish,
  revisions,
  shortened,
  struck,
  textOfBody,
} from '../../worker/diff/body.fixture.ts';
import type { Body } from '../../worker/diff/body.fixture.ts';
import type { Document } from '../../worker/diff/container.ts';
import { makePatch } from '../../worker/diff/patch.ts';
import type { Comparison } from '../../worker/diff/patch.ts';
import { readDocument } from '../../worker/diff/validate.ts';
import { scan } from '../../worker/diff/scan.ts';
import { makeByteDelta } from '../../worker/diff/byte-delta.ts';
import { applyPatch } from './list.ts';

/** What the worker makes of two bodies, and the page of what it has and that. */

function documentOf(bytes: Uint8Array): Document | null {
  return finish(readDocument(bytes));
}

function stepBetween(old: Document, bytes: Uint8Array): Comparison & { readonly next: Document | null } {
  const next = finish(scan(bytes, old.path));
  return next === null ? { kind: 'unproven', next } : { ...finish(makePatch(old, next)), next };
}

function asInPage(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}

function nodesIn(value: unknown, found: Set<object> = new Set()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  for (const inner of Object.values(value)) nodesIn(inner, found);
  return found;
}

/** Frozen to the ground: what changes it throws. */
function frozen(value: unknown): unknown {
  for (const node of nodesIn(value)) Object.freeze(node);
  return value;
}

function rowsIn(value: unknown, path: readonly string[]): readonly unknown[] {
  const container = path.reduce<unknown>((node, key) => Reflect.get(Object(node), key), value);
  return Array.isArray(container) ? container : [];
}

function textsOf(body: Body): string[] {
  return body.members.map((member) => member.trim());
}

function bytesOfBody(body: Body): Uint8Array {
  return bytesOf(textOfBody(body));
}

describe('whatever changes in a body', () => {
  test('the patch makes what JSON.parse makes, and changes nothing of what was there', () => {
    const counts = { same: 0, patched: 0, whole: 0, unproven: 0 };
    fc.assert(
      fc.property(revisions, ([oldBody, nextBody]) => {
        const [oldBytes, nextBytes] = [bytesOfBody(oldBody), bytesOfBody(nextBody)];
        const old = documentOf(oldBytes);
        if (old === null) return;
        const step = stepBetween(old, nextBytes);
        counts[step.kind] += 1;
        const before = frozen(asInPage(oldBytes));
        if (step.kind !== 'patched' && step.kind !== 'same') return;
        const after = step.kind === 'same' ? before : applyPatch(before, structuredClone(step.patch));
        const whole = asInPage(nextBytes);
        expect(isDeepStrictEqual(after, whole)).toBe(true);
        // The order of members included.
        expect(JSON.stringify(after)).toBe(JSON.stringify(whole));
      }),
      { numRuns: 1_000 },
    );
    expect(counts.same).toBeGreaterThan(20);
    expect(counts.patched).toBeGreaterThan(300);
  });

  test('rows that stay are the same objects', () => {
    let seen = 0;
    fc.assert(
      fc.property(revisions, ([oldBody, nextBody]) => {
        const [oldBytes, nextBytes] = [bytesOfBody(oldBody), bytesOfBody(nextBody)];
        const old = documentOf(oldBytes);
        const step = old && stepBetween(old, nextBytes);
        if (old?.kind !== 'list' || step?.kind !== 'patched') return;
        const before = asInPage(oldBytes);
        const rows = rowsIn(before, old.path);
        const after = rowsIn(applyPatch(before, step.patch), old.path);
        for (const [index, text] of textsOf(nextBody).entries()) {
          if (typeof after[index] !== 'object' || after[index] === null) continue;
          const [one, other] = [oldBody, nextBody].map((body) =>
            textsOf(body).filter((each) => each === text),
          );
          if (one?.length !== 1 || other?.length !== 1) continue;
          seen += 1;
          expect(after[index]).toBe(rows[textsOf(oldBody).indexOf(text)]);
        }
      }),
      { numRuns: 700 },
    );
    expect(seen).toBeGreaterThan(300);
  });

  test('the bytes are made anew to the last space', () => {
    fc.assert(
      fc.property(revisions, ([oldBody, nextBody]) => {
        const [oldBytes, nextBytes] = [bytesOfBody(oldBody), bytesOfBody(nextBody)];
        const old = documentOf(oldBytes);
        const step = old && stepBetween(old, nextBytes);
        if (!old || !step?.next || (step.kind !== 'patched' && step.kind !== 'same')) return;
        const change = finish(makeByteDelta(old, step.next, step.runs));
        expect(isDeepStrictEqual(applyByteChange(oldBytes, change), nextBytes)).toBe(true);
      }),
      { numRuns: 700 },
    );
  });

  test('what is taken for JSON is JSON', () => {
    const counts = { same: 0, patched: 0, whole: 0, unproven: 0 };
    fc.assert(
      fc.property(revisions, blows, fc.boolean(), ([oldBody, nextBody], all, isShort) => {
        const [oldBytes, nextBytes] = [oldBody, nextBody].map((body) =>
          bytesOfBody(isShort ? shortened(body) : body),
        );
        const old = documentOf(oldBytes ?? new Uint8Array());
        if (old === null) return;
        const bytes = struck(nextBytes ?? new Uint8Array(), all);
        const step = stepBetween(old, bytes);
        counts[step.kind] += 1;
        if (step.kind === 'unproven') return;
        const whole = asInPage(bytes);
        if (step.kind !== 'patched') return;
        expect(isDeepStrictEqual(applyPatch(asInPage(old.bytes), step.patch), whole)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(counts.unproven).toBeGreaterThan(150);
    expect(counts.whole + counts.patched).toBeGreaterThan(80);
  });
});
