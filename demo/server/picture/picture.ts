import { dunes, grove, ridges } from './land.ts';
import type { Scene } from './land.ts';
import type { Palette } from './palettes.ts';
import { randomFrom } from './random.ts';
import { glass, petals } from './still-life.ts';
import { HEIGHT, WIDTH, bar } from './stroke.ts';
import { aurora, skyline, tide, trails } from './water-and-night.ts';

/** A seed's remainder by their number says which scene it is: seeds.ts counts on the order. */
const SCENES: readonly Scene[] = [ridges, tide, dunes, grove, skyline, petals, aurora, trails, glass];

/** Width in pixels by the name that URLs use. */
export const SIZES: Readonly<Record<string, number>> = { small: 360, medium: 720, large: 1440 };

/** The same picture for the same seed and palette, as an SVG document. */
export function paint(seed: number, palette: Palette, width: number): string {
  const scene = SCENES[seed % SCENES.length] ?? ridges;
  const content = bar(0, 0, WIDTH, HEIGHT, 'url(#sky)') + scene(randomFrom(seed), palette);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" ` +
    `width="${width}" height="${Math.round((width * HEIGHT) / WIDTH)}">` +
    `<defs>${gradients(palette)}</defs>${content}${finish()}</svg>`
  );
}

function gradients({ sky, light }: Palette): string {
  return (
    `<linearGradient id="sky" x2="0" y2="1">${stop(0, sky[0])}${stop(0.72, sky[1])}</linearGradient>` +
    `<linearGradient id="mist" x2="0" y2="1">${stop(0, sky[1], 0)}${stop(0.5, sky[1], 0.9)}${stop(1, sky[1], 0)}</linearGradient>` +
    `<radialGradient id="glow">${stop(0, light, 0.75)}${stop(1, light, 0)}</radialGradient>` +
    `<radialGradient id="edge" r="0.75">${stop(0.62, '#000000', 0)}${stop(1, '#000000', 0.26)}</radialGradient>`
  );
}

/** The corners of a lens are darker than its middle. */
function finish(): string {
  return bar(0, 0, WIDTH, HEIGHT, 'url(#edge)');
}

function stop(offset: number, colour: string, opacity = 1): string {
  return `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`;
}
