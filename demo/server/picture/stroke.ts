import type { Random } from './random.ts';
import { between } from './random.ts';

/** The frame that every scene draws in: 3:2, as on film. */
export const WIDTH = 600;
export const HEIGHT = 400;

export type Point = readonly [x: number, y: number];

/** One decimal is finer than any screen and keeps the files small. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A smooth curve through the middles between the points. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${n(first[0])} ${n(first[1])}`;
  rest.forEach((point, index) => {
    const next = rest[index + 1] ?? point;
    path += `Q${n(point[0])} ${n(point[1])} ${n((point[0] + next[0]) / 2)} ${n((point[1] + next[1]) / 2)}`;
  });
  return path;
}

/** What lies under a curve that runs from edge to edge. */
export function ground(points: readonly Point[], colour: string): string {
  return `<path d="${curve(points)}V${HEIGHT}H0Z" fill="${colour}"/>`;
}

/** A horizon by midpoint displacement: `roughness` 0 is a hill, 1 a rock face. */
export function horizon(random: Random, y: number, relief: number, roughness: number): Point[] {
  let heights = [between(random, -1, 1), between(random, -1, 1), between(random, -1, 1)];
  let reach = 0.5 + roughness * 0.4;
  for (let level = 0; level < 5; level += 1) {
    heights = heights.flatMap((height, index) => {
      const next = heights[index + 1];
      return next === undefined ? [height] : [height, (height + next) / 2 + between(random, -reach, reach)];
    });
    reach *= 0.25 + roughness * 0.35;
  }
  const step = (WIDTH + 40) / (heights.length - 1);
  return heights.map((height, index) => [-20 + index * step, y + height * relief]);
}

export function disc(x: number, y: number, radius: number, colour: string, opacity = 1): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${colour}"${faint(opacity)}/>`;
}

export function bar(
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
  opacity = 1,
): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${colour}"${faint(opacity)}/>`;
}

export function line(path: string, colour: string, width: number, opacity = 1): string {
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${n(width)}" stroke-linecap="round"${faint(opacity)}/>`;
}

/** Calls `draw` for 0 to `count - 1` and for how far through that is, and joins what it drew. */
export function repeat(count: number, draw: (index: number, share: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index, count < 2 ? 0 : index / (count - 1))).join(
    '',
  );
}

function faint(opacity: number): string {
  return opacity === 1 ? '' : ` opacity="${String(Math.round(opacity * 100) / 100)}"`;
}
