/** The colours of a picture: a sky from top to horizon, one light, and tones from far to near. */
export interface Palette {
  readonly name: string;
  readonly label: string;
  readonly sky: readonly [top: string, horizon: string];
  readonly light: string;
  readonly tones: readonly [far: string, near: string];
  readonly accent: string;
}

export const PALETTES: readonly Palette[] = [
  {
    name: 'dawn',
    label: 'First light',
    sky: ['#5d6d9e', '#f6c9a8'],
    light: '#fff1d6',
    tones: ['#c78f94', '#3c2f4f'],
    accent: '#e8785a',
  },
  {
    name: 'dusk',
    label: 'Late train',
    sky: ['#2b2350', '#e2795b'],
    light: '#ffd9a0',
    tones: ['#8d4a6b', '#1c1533'],
    accent: '#f2a65a',
  },
  {
    name: 'fjord',
    label: 'Fjord',
    sky: ['#9dbccb', '#e9eee6'],
    light: '#ffffff',
    tones: ['#7fa3b0', '#16323f'],
    accent: '#d9694a',
  },
  {
    name: 'meadow',
    label: 'Hay meadow',
    sky: ['#a7c8c4', '#f3e9c6'],
    light: '#fff6c9',
    tones: ['#9fb779', '#2f4a34'],
    accent: '#d8973c',
  },
  {
    name: 'ember',
    label: 'Ember',
    sky: ['#7c1f2c', '#f08a4b'],
    light: '#ffe0a3',
    tones: ['#b6403a', '#2a0f1c'],
    accent: '#ffc46b',
  },
  {
    name: 'frost',
    label: 'Hard frost',
    sky: ['#6f8fb8', '#dfe8f2'],
    light: '#fdfdff',
    tones: ['#a9bdd6', '#2c4262'],
    accent: '#c2556b',
  },
  {
    name: 'lagoon',
    label: 'Lagoon',
    sky: ['#0e4a5c', '#8fd3c1'],
    light: '#f7ffd8',
    tones: ['#3c9a98', '#08303d'],
    accent: '#f4b183',
  },
  {
    name: 'silver',
    label: 'Silver print',
    sky: ['#4a4845', '#d5d1ca'],
    light: '#f7f4ee',
    tones: ['#9b978f', '#1b1a19'],
    accent: '#c9c4ba',
  },
];

export function findPalette(name: string): Palette | undefined {
  return PALETTES.find((palette) => palette.name === name);
}

/** The colour that lies `share` of the way from one to the other. */
export function mix(from: string, to: string, share: number): string {
  const [a, b] = [channels(from), channels(to)];
  const mixed = a.map((value, index) => Math.round(value + ((b[index] ?? value) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}
