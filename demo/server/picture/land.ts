import type { Palette } from './palettes.ts';
import { mix } from './palettes.ts';
import type { Random } from './random.ts';
import { between } from './random.ts';
import { HEIGHT, WIDTH, bar, curve, disc, ground, horizon, line, n, repeat } from './stroke.ts';
import type { Point } from './stroke.ts';

/** Draws over the sky, in a frame of 600 by 400. */
export type Scene = (random: Random, palette: Palette) => string;

/** Range behind range, each paler than the one before it, and a low sun. */
export const ridges: Scene = (random, { light, tones }) => {
  const count = 5 + Math.floor(random() * 3);
  const roughness = between(random, 0.35, 0.85);
  const sun = sunWithHalo(
    between(random, 110, 490),
    between(random, 80, 170),
    between(random, 20, 46),
    light,
  );
  return (
    sun +
    repeat(count, (_, share) => {
      const y = 165 + share * 195;
      const ridge = ground(
        horizon(random, y, 66 - share * 34, roughness),
        mix(tones[0], tones[1], share ** 0.85),
      );
      const mist = bar(0, y + 26, WIDTH, 60, 'url(#mist)', 0.5 - share * 0.4);
      return ridge + mist;
    })
  );
};

/** Bands of sand: every curve leans on the one above it. */
export const dunes: Scene = (random, { light, tones, accent }) => {
  const phase = between(random, 0, 6);
  const swing = between(random, 34, 62);
  const crest = (share: number): Point[] =>
    Array.from({ length: 13 }, (_, i) => {
      const lean = Math.sin(phase + i * between(random, 0.5, 0.56) + share * 2.4);
      return [-30 + i * 55, 170 + share * 210 + lean * swing * (0.4 + share * 0.7)];
    });
  return (
    sunWithHalo(between(random, 120, 480), between(random, 70, 120), between(random, 30, 54), light) +
    repeat(6, (index, share) => {
      const points = crest(share);
      const lit = mix(mix(tones[0], accent, 0.45), tones[1], share);
      const shade = mix(lit, tones[1], 0.28);
      const hollow = points.map(([x, y], i): Point => [x, y + 10 + (i % 4) * (6 + index)]);
      return ground(points, lit) + ground(hollow, shade) + line(curve(points), light, 1, 0.22);
    })
  );
};

/** Trunks in fog, the near ones dark and wide. */
export const grove: Scene = (random, { sky, light, tones }) => {
  const glow = disc(between(random, 180, 420), 170, 120, 'url(#glow)', 0.9);
  const floor = (share: number): string =>
    ground(horizon(random, 300 + share * 70, 10, 0.2), mix(mix(tones[0], sky[1], 0.35), tones[1], share));
  return (
    glow +
    repeat(4, (layer, share) => {
      const colour = mix(mix(tones[0], sky[1], 0.5), tones[1], share);
      const trunks = repeat(13 - layer * 3, () => {
        const x = between(random, -10, WIDTH + 10);
        const width = between(random, 2, 5) + layer * layer * between(random, 1.2, 2.4);
        const lean = between(random, -14, 14);
        const trunk = `M${n(x)} -10L${n(x + lean)} ${HEIGHT}H${n(x + lean + width * 1.5)}L${n(x + width)} -10Z`;
        const rim = line(`M${n(x + width)} -10L${n(x + lean + width * 1.4)} ${HEIGHT}`, light, 0.8, 0.16);
        return `<path d="${trunk}" fill="${colour}"/>${rim}`;
      });
      return trunks + floor(share) + bar(0, 0, WIDTH, HEIGHT, sky[1], 0.14 * (1 - share));
    })
  );
};

export function sunWithHalo(x: number, y: number, radius: number, light: string): string {
  return disc(x, y, radius * 3.4, 'url(#glow)', 0.8) + disc(x, y, radius, light, 0.95);
}
