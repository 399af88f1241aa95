import type { ByteDelta } from './response-store.ts';

/** The new bytes, in the plainest way: what storage makes of many changes is held against it. Null where the change does not fit what it is applied to. */
export function applyByteChange(base: Uint8Array, change: ByteDelta): Uint8Array | null {
  if (!fits(base.length, change)) return null;
  const { runs, size } = change;
  const literal = new Uint8Array(change.literal);
  const next = new Uint8Array(size);
  let [at, taken] = [0, 0];
  for (let index = 0; index < runs.length; index += 2) {
    const [from = 0, length = 0] = [runs[index], runs[index + 1]];
    if (from === -1) {
      next.set(literal.subarray(taken, taken + length), at);
      taken += length;
    } else next.set(base.subarray(from, from + length), at);
    at += length;
  }
  return next;
}

/** Looked at before anything is made: a damaged change may speak of more bytes than there is memory. */
function fits(baseSize: number, { runs, literal, size }: ByteDelta): boolean {
  if (runs.length % 2 !== 0) return false;
  let [made, taken] = [0, 0];
  for (let index = 0; index < runs.length; index += 2) {
    const [from = NaN, length = NaN] = [runs[index], runs[index + 1]];
    if (!isCount(length)) return false;
    if (from === -1) taken += length;
    else if (!isCount(from) || from + length > baseSize) return false;
    made += length;
  }
  return made === size && taken === literal.byteLength;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
