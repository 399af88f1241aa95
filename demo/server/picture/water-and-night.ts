import type { Scene } from './land.ts';
import { sunWithHalo } from './land.ts';
import { mix } from './palettes.ts';
import { between } from './random.ts';
import { HEIGHT, WIDTH, bar, curve, disc, ground, horizon, line, n, repeat } from './stroke.ts';
import type { Point } from './stroke.ts';

/** A calm sea: the light above it lies in broken strokes on the water. */
export const tide: Scene = (random, { sky, light, tones }) => {
  const level = between(random, 190, 240);
  const x = between(random, 130, 470);
  const sea = bar(0, level, WIDTH, HEIGHT - level, mix(tones[0], sky[0], 0.35));
  const coast = ground(horizon(random, level - 6, 14, 0.5), mix(tones[0], tones[1], 0.35));
  const depth = repeat(9, (_, share) => {
    const y = level + 6 + share ** 1.4 * (HEIGHT - level);
    const points = Array.from({ length: 9 }, (_unused, i): Point => {
      return [-30 + i * 83, y + Math.sin(i * 1.7 + share * 9) * (2 + share * 9)];
    });
    return ground(points, mix(mix(tones[0], sky[0], 0.35), tones[1], 0.15 + share * 0.85)).replace(
      '/>',
      ' opacity="0.55"/>',
    );
  });
  const glints = repeat(34, (_, share) => {
    const width = between(random, 8, 30) * (0.5 + share * 1.6);
    const y = level + 5 + share ** 1.5 * (HEIGHT - level - 16);
    const shift = between(random, -16, 16) * (0.4 + share * 1.6);
    return `<rect x="${n(x + shift - width / 2)}" y="${n(y)}" width="${n(width)}" height="${n(1 + share * 2.6)}" rx="1.5" fill="${light}" opacity="${n(0.8 - share * 0.45)}"/>`;
  });
  return (
    sunWithHalo(x, level - between(random, 50, 120), between(random, 22, 44), light) +
    coast +
    sea +
    depth +
    glints
  );
};

/** A town after hours. */
export const skyline: Scene = (random, { light, tones, accent }) =>
  sunWithHalo(between(random, 100, 500), between(random, 60, 120), between(random, 14, 26), light) +
  repeat(3, (layer, share) => {
    const colour = mix(tones[0], tones[1], 0.2 + share * 0.8);
    let houses = '';
    for (let x = -20; x < WIDTH;) {
      const width = between(random, 26, 62);
      const top = 150 + layer * 62 + between(random, -46, 50);
      houses += bar(x, top, width + 1, HEIGHT - top, colour);
      if (random() < 0.25) houses += bar(x + width / 2, top - 22, 2, 22, colour);
      for (let y = top + 12; y < HEIGHT - 12; y += 15)
        for (let column = x + 7; column < x + width - 8; column += 11)
          if (random() < 0.09 + share * 0.13)
            houses += bar(column, y, 5, 7, random() < 0.8 ? light : accent, 0.35 + share * 0.5);
      x += width + (random() < 0.3 ? between(random, 4, 14) : 0);
    }
    return houses + bar(0, 300, WIDTH, 100, 'url(#mist)', 0.3 - share * 0.25);
  });

/** Curtains of light over a dark shore. */
export const aurora: Scene = (random, { sky, light, tones, accent }) => {
  const night = bar(0, 0, WIDTH, HEIGHT, mix(tones[1], sky[0], 0.3), 0.86);
  const stars = repeat(70, () => {
    const [x, y] = [between(random, 0, WIDTH), between(random, 0, 280)];
    return disc(x, y, between(random, 0.4, 1.3), light, between(random, 0.3, 0.9));
  });
  const curtain = (name: string, colour: string): string => {
    const veil = `<linearGradient id="${name}" x2="0" y2="1"><stop stop-color="${colour}" stop-opacity="0"/><stop offset="0.85" stop-color="${colour}"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></linearGradient>`;
    const y = between(random, 190, 270);
    const [bend, phase] = [between(random, 2.4, 4.4), between(random, 0, 6)];
    const fold = between(random, 26, 60);
    let height = between(random, 110, 200);
    const rays = repeat(150, (_, share) => {
      const x = -10 + share * (WIDTH + 20);
      const foot = y + Math.sin(phase + share * bend) * fold + Math.sin(phase + share * bend * 3.1) * 9;
      height = Math.min(230, Math.max(90, height + between(random, -16, 16)));
      return bar(x, foot - height, 8, height, `url(#${name})`, 0.08 + random() * 0.17);
    });
    return veil + rays;
  };
  const shore = ground(horizon(random, 328, 24, 0.6), mix(tones[1], '#000000', 0.25));
  const far = curtain('far', mix(sky[1], tones[0], 0.4));
  return night + stars + far + curtain('near', accent) + curtain('bright', light) + shore;
};

/** Star trails: what the camera sees when it is left alone for a night. */
export const trails: Scene = (random, { sky, light, tones, accent }) => {
  const [x, y] = [between(random, 170, 430), between(random, 150, 250)];
  const night = bar(0, 0, WIDTH, HEIGHT, mix(tones[1], sky[0], 0.45), 0.88);
  const arcs = repeat(110, (_, share) => {
    const radius = 8 + share * 420 + between(random, -2, 2);
    const start = between(random, 0, Math.PI * 2);
    const sweep = between(random, 0.5, 2.1);
    const points = Array.from({ length: 10 }, (_unused, i): Point => {
      const angle = start + (sweep * i) / 9;
      return [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
    });
    const colour = random() < 0.2 ? accent : light;
    return line(curve(points), colour, between(random, 0.5, 1.6), between(random, 0.25, 0.85));
  });
  const hill = ground(horizon(random, 342, 22, 0.4), mix(tones[1], '#000000', 0.35));
  return night + arcs + hill;
};
