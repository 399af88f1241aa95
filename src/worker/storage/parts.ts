/** How many, and of how many bytes, go into one transaction, which must end in time. One alone may have more. */
const MOST = 64;
const BYTES = 262_144;

/** In parts that are each small enough, in their order. */
export function partsOf<T>(all: readonly T[], bytesOf: (each: T) => number): T[][] {
  const parts: T[][] = [];
  let bytes = Infinity;
  for (const each of all) {
    const size = bytesOf(each);
    const part = parts.at(-1);
    if (part && part.length < MOST && bytes + size <= BYTES) {
      part.push(each);
      bytes += size;
    } else {
      parts.push([each]);
      bytes = size;
    }
  }
  return parts;
}

/** Does that for each part; where it fails for one, for each of that alone. Rejects at the end with what failed first. */
export async function inParts<T>(
  parts: readonly (readonly T[])[],
  work: (part: readonly T[]) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      await work(part);
    } catch (error) {
      if (part.length === 1) errors.push(error);
      else
        await inParts(
          part.map((each) => [each]),
          work,
        ).catch((one: unknown) => errors.push(one));
    }
  }
  if (errors.length > 0) throw errors[0];
}
