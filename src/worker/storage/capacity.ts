/** Bytes that the stored answers of a partition may take (design section 9). */
export const CAPACITY: number = 64 * 1024 * 1024;

/** What an answer's metadata counts for, so that many answers without a body do not grow without bound. */
export const METADATA = 1024;

export interface Usage {
  readonly entries: number;
  /** Of bodies, their logs included. */
  readonly bytes: number;
}

export function fits({ entries, bytes }: Usage, capacity: number): boolean {
  return bytes + entries * METADATA <= capacity;
}

/** Refuses what would not fit even if it were alone. */
export function refuseOversized(size: number, capacity: number): void {
  if (!fits({ entries: 1, bytes: size }, capacity)) {
    throw new RangeError(`An answer of ${size} bytes is larger than the whole cache of ${capacity}`);
  }
}
