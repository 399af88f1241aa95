import { expect, test } from '@playwright/test';
import { Random } from './faults/random.ts';
import { complaintsOf } from './faults/row.ts';
import { ROWS } from './faults/rows.ts';

/** As `npm run faults -- --seed` takes it. */
const SEED = Number(process.env['OFFSTAGE_SEED'] ?? Math.floor(Math.random() * 2 ** 32));

test.describe('a short round of the fault bench', () => {
  for (const row of ROWS.filter(({ slow }) => !slow)) {
    test(`${row.number} ${row.name}`, async ({ launchOptions: { executablePath = '' } }) => {
      const result = await row.run({
        engine: 'chromium',
        chromium: executablePath,
        firefox: () => Promise.reject(new Error('No row that is quick may need Firefox')),
        rounds: row.rounds.short,
        random: new Random(SEED),
      });
      expect(complaintsOf(result), `with seed ${SEED}`).toEqual([]);
    });
  }
});
