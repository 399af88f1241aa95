/** A line of a plot: one value a step, from the beginning of the x axis to its end. */
export interface Curve {
  readonly name: string;
  readonly values: readonly number[];
}

export interface Plot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** The part of the x axis that is shaded, and what it is. */
  readonly shade: { readonly from: number; readonly to: number; readonly label: string };
  /** The first is drawn last, and boldest. */
  readonly curves: readonly Curve[];
}

export interface Axis {
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

const WIDTH = 760;
const HEIGHT = 340;
const LEFT = 56;
const RIGHT = WIDTH - 130;
const TOP = 40;
const BOTTOM = HEIGHT - 48;

/** Colours that tell apart, also to the colour-blind, on light and on dark; dashes where colours do not. */
const STYLE = `
  .ground { fill: #fff } .ink { fill: #222 } .soft { fill: #555 } .grid { stroke: #ddd } .shade { fill: #f3e9e2 }
  path { fill: none; stroke-width: 1.2; stroke-linejoin: round }
  .c0 { stroke: #0b6e4f; stroke-width: 2.4 } .c1 { stroke: #767676; stroke-dasharray: 2 2 } .c2 { stroke: #b8860b }
  .c3 { stroke: #c2410c } .c4 { stroke: #6d4aff; stroke-dasharray: 6 2 }
  text { font: 12px system-ui, sans-serif } .title { font-size: 14px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14171a } .ink { fill: #e8e8e8 } .soft { fill: #a8adb3 } .grid { stroke: #33383d }
    .shade { fill: #2b2422 } .c0 { stroke: #3ddc97 } .c1 { stroke: #9a9a9a } .c2 { stroke: #e3b341 }
    .c3 { stroke: #ff8a5c } .c4 { stroke: #a594ff }
  }`;

/** The plot as an SVG document of its own. */
export function svgOf(plot: Plot): string {
  const names = plot.curves.map(({ name }) => name).join(', ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>${plot.title}: ${names}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    text(LEFT, 22, plot.title, 'ink title'),
    ...shadeOf(plot),
    ...xAxisOf(plot.x),
    ...yAxisOf(plot.y),
    ...plot.curves.map((curve, index) => lineOf(curve, index, plot.y)).toReversed(),
    ...plot.curves.flatMap(legendOf),
    '</svg>',
    '',
  ].join('\n');
}

function shadeOf({ shade, x }: Plot): string[] {
  const [from, to] = [horizontal(shade.from, x), horizontal(shade.to, x)];
  return [
    `<rect class="shade" x="${from}" y="${TOP}" width="${Math.max(1, to - from)}" height="${BOTTOM - TOP}"/>`,
    text(Math.max(LEFT, from) + 4, TOP + 14, shade.label, 'soft'),
  ];
}

function xAxisOf(axis: Axis): string[] {
  const labels = ticksOf(axis, 8).map((value) =>
    text(horizontal(value, axis), BOTTOM + 16, String(value), 'soft', 'middle'),
  );
  return [...labels, text((LEFT + RIGHT) / 2, HEIGHT - 10, axis.label, 'ink', 'middle')];
}

function yAxisOf(axis: Axis): string[] {
  const lines = ticksOf(axis, 6).flatMap((value) => {
    const y = vertical(value, axis);
    return [
      `<line class="grid" x1="${LEFT}" y1="${y}" x2="${RIGHT}" y2="${y}"/>`,
      text(LEFT - 6, y + 4, `${value}×`, 'soft', 'end'),
    ];
  });
  const middle = (TOP + BOTTOM) / 2;
  const label = `<text class="ink" text-anchor="middle" transform="translate(14 ${middle}) rotate(-90)">${axis.label}</text>`;
  return [...lines, label];
}

function lineOf({ values }: Curve, index: number, y: Axis): string {
  const step = (RIGHT - LEFT) / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${round(LEFT + at * step)} ${vertical(value, y)}`);
  return `<path class="c${index}" d="M${points.join('L')}"/>`;
}

function legendOf({ name }: Curve, index: number): string[] {
  const [x, y] = [RIGHT + 14, TOP + 12 + index * 20];
  return [`<path class="c${index}" d="M${x} ${y}h20"/>`, text(x + 26, y + 4, name, 'ink')];
}

function text(x: number, y: number, content: string, style: string, anchor = 'start'): string {
  return `<text class="${style}" x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
}

/** Round numbers along an axis, about so many. */
function ticksOf({ from, to }: Axis, about: number): number[] {
  const rough = (to - from) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(6)));
}

function horizontal(value: number, { from, to }: Axis): number {
  return round(LEFT + ((value - from) / (to - from)) * (RIGHT - LEFT));
}

function vertical(value: number, { from, to }: Axis): number {
  return round(BOTTOM - ((value - from) / (to - from)) * (BOTTOM - TOP));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
