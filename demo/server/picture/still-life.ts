import type { Scene } from './land.ts';
import { mix } from './palettes.ts';
import { between } from './random.ts';
import { HEIGHT, WIDTH, bar, disc, line, n, repeat } from './stroke.ts';

/** Flower heads from close by: rings of petals, the far ones out of focus. */
export const petals: Scene = (random, { sky, light, tones, accent }) => {
  const backdrop = bar(0, 0, WIDTH, HEIGHT, mix(tones[0], tones[1], 0.55), 0.75);
  const heads = repeat(9, (_, share) => {
    const [x, y] = [between(random, 20, WIDTH - 20), between(random, 40, HEIGHT - 60)];
    const size = 18 + share ** 1.5 * between(random, 52, 84);
    const count = 7 + Math.floor(random() * 8);
    const colour = mix(random() < 0.5 ? accent : sky[1], tones[1], 0.5 - share * 0.5);
    const stem = line(
      `M${n(x)} ${n(y)}Q${n(x + 10)} ${n(y + 120)} ${n(x - 16)} ${HEIGHT + 20}`,
      tones[1],
      1 + share * 3,
      0.7,
    );
    const ring = (radius: number, tint: string, turn: number): string =>
      repeat(count, (index) => {
        const angle = ((index + turn) / count) * 360;
        return `<ellipse cx="${n(x)}" cy="${n(y - radius * 0.62)}" rx="${n((radius * 2.1) / count)}" ry="${n(radius * 0.5)}" transform="rotate(${n(angle)} ${n(x)} ${n(y)})" fill="${tint}" opacity="${n(0.5 + share * 0.4)}"/>`;
      });
    const heart = disc(x, y, size * 0.2, tones[1], 0.9) + disc(x, y, size * 0.1, light, 0.8);
    return stem + ring(size, colour, 0) + ring(size * 0.68, mix(colour, light, 0.35), 0.5) + heart;
  });
  return backdrop + heads;
};

/** Sheets of coloured glass against the light. */
export const glass: Scene = (random, { sky, light, tones, accent }) => {
  const tint = [sky[0], sky[1], tones[0], tones[1], accent, light];
  const panes = repeat(17, (_, share) => {
    const [x, y] = [between(random, -40, WIDTH), between(random, -40, HEIGHT)];
    const size = between(random, 60, 230) * (1 - share * 0.5);
    const colour = tint[Math.floor(random() * tint.length)] ?? accent;
    const turn = Math.floor(random() * 4) * 90;
    const quarter = `M${n(x)} ${n(y)}h${n(size)}a${n(size)} ${n(size)} 0 0 1 ${n(-size)} ${n(size)}Z`;
    const shape =
      random() < 0.6
        ? `<path d="${quarter}" transform="rotate(${turn} ${n(x + size / 2)} ${n(y + size / 2)})" fill="${colour}" opacity="${n(between(random, 0.45, 0.85))}"/>`
        : disc(x + size / 2, y + size / 2, size / 2, colour, between(random, 0.4, 0.8));
    return shape;
  });
  const leads = repeat(4, () => {
    const x = between(random, 40, WIDTH - 40);
    return line(`M${n(x)} 0V${HEIGHT}`, tones[1], 1.2, 0.5);
  });
  return panes + leads;
};
