import { expect, test } from 'vitest';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { readEach, ReadSize } from './parts.ts';

/** Forty of the large ones are too many for one transaction. Small ones come before them. */
async function read(part: readonly number[]): Promise<readonly number[]> {
  if (part.filter((n) => n >= 200).length > 40) throw new DatabaseLate('It is late');
  return part;
}

test('a long reading ends, though short ones come between its tries', async () => {
  const size = new ReadSize(new VirtualClock());
  const all = Array.from({ length: 1_000 }, (_, n) => n);
  const found: number[] = [];
  for (let tries = 0; tries < 100 && found.length === 0; tries += 1) {
    // A page asks what has become of one write.
    await readEach([1], size, read);
    found.push(...(await readEach(all, size, read).catch(() => [])));
  }
  expect(found).toEqual(all);
});
