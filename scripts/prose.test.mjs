import { expect, test } from 'vitest';
import { proseOf } from './prose.mjs';

test('code, addresses of links and names of files are no prose, and places in the text stay what they are', () => {
  const text = [
    'See [the guide](docs/guide/loops.md) and limits.ts.',
    '```ts',
    'const teh = 1;',
    '```',
    'A wait of 3 s in all, at (s) 4 µs.',
    '[guide]: https://example.org/teh',
    '',
  ].join('\n');
  const prose = proseOf(text);
  expect(prose).toHaveLength(text.length);
  expect(prose.split('\n').map((line) => line.trimEnd())).toEqual([
    'See [the guide](0000000000000000000) and 000000000.',
    '',
    '',
    '',
    'A wait of 0 0 in all, at     0 00.',
    '',
    '',
  ]);
});
