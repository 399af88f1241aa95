// Medians, and how a figure is written.

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/**
 * The median of one figure over the samples that were taken under the same circumstances.
 *
 * @param {readonly object[]} samples
 * @param {object} where Fields that they have.
 * @param {string} key Of the figure; samples without it do not count.
 */
export function medianOf(samples, where, key) {
  const wanted = Object.entries(where);
  return median(
    samples
      .filter((sample) => key in sample && wanted.every(([name, value]) => sample[name] === value))
      .map((sample) => sample[key]),
  );
}

/**
 * @param {readonly number[]} values
 * @param {number} part 0.99 for what 99 of 100 do not exceed.
 */
export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/**
 * Two digits that count, as many as the noise of such figures leaves; three from a thousand on.
 *
 * @param {number} value
 */
export function brief(value) {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  if (Math.abs(value) >= 10) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 1 ? 1 : 2);
}

/** @param {number} part Of 1. */
export function percent(part) {
  return Number.isFinite(part) ? `${(part * 100).toFixed(1)} %` : '-';
}

/** @param {number} count */
export function whole(count) {
  return count.toLocaleString('en');
}
