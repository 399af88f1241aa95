import { expect, test } from 'vitest';
import { PALETTES, mix } from './palettes.ts';
import { paint } from './picture.ts';

const [palette, other] = PALETTES;
if (!palette || !other) throw new Error('There are no palettes.');

test('the same seed and palette make the same picture, others another', () => {
  expect(paint(7, palette, 360)).toBe(paint(7, palette, 360));
  expect(paint(8, palette, 360)).not.toBe(paint(7, palette, 360));
  expect(paint(7, other, 360)).not.toBe(paint(7, palette, 360));
});

test('every scene is drawn in numbers that SVG understands', () => {
  for (let seed = 0; seed < 90; seed += 1) {
    const drawn = paint(seed, palette, 720);
    expect(drawn).toMatch(/^<svg .*<\/svg>$/);
    expect(drawn).not.toMatch(/NaN|undefined|Infinity/);
  }
});

test('colours mix from one end to the other', () => {
  expect(mix('#000000', '#ffffff', 0)).toBe('#000000');
  expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080');
  expect(mix('#000000', '#ffffff', 1)).toBe('#ffffff');
});
