/** What hangs in the collection at its first start. A seed's remainder by 9 picks the scene (picture.ts). */
export interface Seed {
  readonly title: string;
  readonly description: string;
  readonly palette: string;
  readonly seed: number;
}

const RIDGES = 0;
const TIDE = 1;
const DUNES = 2;
const GROVE = 3;
const SKYLINE = 4;
const PETALS = 5;
const AURORA = 6;
const TRAILS = 7;
const GLASS = 8;

export const SEEDS: readonly Seed[] = [
  seed('Eleven Minutes to Sunrise', 'The valley fog was still deciding.', 'dawn', RIDGES, 4),
  seed('Nobody on the Pier', 'Waited for the swimmer to leave, then missed her.', 'dusk', TIDE, 2),
  seed('Third Dune from the Road', 'Sand in the shutter ever since.', 'ember', DUNES, 5),
  seed('Birches, Counted Twice', 'Forty-one the first time, forty-three the second.', 'meadow', GROVE, 1),
  seed('Office Hours', 'Somebody on the ninth floor waters plants at night.', 'frost', SKYLINE, 3),
  seed('Grandmother’s Border', 'She never planted anything in a straight line.', 'lagoon', PETALS, 7),
  seed('Green for Four Minutes', 'Long enough to find the tripod, not to open it.', 'lagoon', AURORA, 6),
  seed('Six Hours Facing North', 'One frame, one thermos.', 'dusk', TRAILS, 2),
  seed('South Transept, Noon', 'The light moves about a pew an hour.', 'fjord', GLASS, 3),
  seed('Hay Is In', 'You could smell it from the train.', 'meadow', RIDGES, 9),
  seed('The Ferry Is Late', 'Nobody on the quay seemed to mind.', 'fjord', TIDE, 8),
  seed('Wind from the West', 'By morning the ridge had moved a step.', 'dawn', DUNES, 11),
  seed('After the Fire Road', 'Smoke in the coat for a week.', 'ember', GROVE, 12),
  seed('Power Cut, 21:40', 'The last windows before the whole street went.', 'silver', SKYLINE, 5),
  seed('Cut for the Kitchen Table', 'Gone by Thursday.', 'dusk', PETALS, 4),
  seed('Harbour Lights Off', 'They switched them off for us, and for the seals.', 'dusk', AURORA, 9),
  seed('Pole Star, More or Less', 'The tripod leaned two degrees. So does the world.', 'frost', TRAILS, 8),
  seed('Workshop Window', 'Offcuts, hung up to see what they do.', 'meadow', GLASS, 6),
  seed('Old Pass, New Snow', 'Turned round two bends after this.', 'frost', RIDGES, 15),
  seed('Low Tide at the Salt Works', 'Too bright to look at, so the camera did.', 'ember', TIDE, 14),
  seed('Grey Card', 'A test strip that turned out better than the roll.', 'silver', DUNES, 17),
  seed('Fog Comes in at Five', 'You hear the road before you see it.', 'frost', GROVE, 18),
  seed('Quarter Past Blue', 'The quarter hour between lamps and stars.', 'lagoon', SKYLINE, 13),
  seed('Ox-Eyes', 'A ditch beside the bypass, nothing more.', 'silver', PETALS, 16),
];

function seed(title: string, description: string, palette: string, scene: number, variant: number): Seed {
  return { title, description, palette, seed: variant * 9 + scene };
}
