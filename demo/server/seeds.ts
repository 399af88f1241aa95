/** What hangs in a user's collection at its first start. A seed's remainder by 9 picks the scene (picture.ts). */
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

const MIRA: readonly Seed[] = [
  seed('Eleven Minutes to Sunrise', 'The valley fog was still deciding.', 'dawn', RIDGES, 4),
  seed('Nobody on the Pier', 'Waited for the swimmer to leave, then missed her.', 'ember', TIDE, 2),
  seed('Birches, Counted Twice', 'Forty-one the first time, forty-three the second.', 'meadow', GROVE, 1),
  seed('Third Dune from the Road', 'Sand in the shutter ever since.', 'ember', DUNES, 5),
  seed('Hay Is In', 'You could smell it from the train.', 'meadow', RIDGES, 9),
  seed('The Ferry Is Late', 'Nobody on the quay seemed to mind.', 'fjord', TIDE, 8),
  seed('Wind from the West', 'By morning the ridge had moved a step.', 'dawn', DUNES, 11),
  seed('After the Fire Road', 'Smoke in the coat for a week.', 'ember', GROVE, 12),
  seed('Old Pass, New Snow', 'Turned round two bends after this.', 'fjord', RIDGES, 15),
  seed('Low Tide at the Salt Works', 'Too bright to look at, so the camera did.', 'dawn', TIDE, 14),
  seed('Quarry, Filled Up', 'Somebody has already brought a boat.', 'lagoon', TIDE, 19),
  seed('Fog Comes in at Five', 'You hear the road before you see it.', 'lagoon', GROVE, 18),
  seed('The Long Way Home', 'Two hours more, and nobody regretted it.', 'ember', RIDGES, 21),
  seed('Rain by Noon', 'The swallows had said so at breakfast.', 'fjord', RIDGES, 3),
  seed('Where the Path Was', 'The sign still points at it.', 'dawn', DUNES, 8),
  seed('Beech, Beech, Beech', 'And one oak, which is not in the picture.', 'meadow', GROVE, 7),
  seed('Salt on the Window', 'Cleaned it, and missed the light.', 'lagoon', TIDE, 5),
  seed('Above the Last Hut', 'The kettle was louder than the wind.', 'dawn', RIDGES, 12),
  seed('Heath, Late August', 'Bees in the camera bag.', 'meadow', DUNES, 14),
  seed('Seal Bank', 'They looked first.', 'fjord', DUNES, 20),
  seed('Pines That Lean', 'All of them the same way, for once.', 'ember', GROVE, 22),
  seed('First Swim', 'Out again in nine seconds.', 'lagoon', TIDE, 23),
  seed('Three Valleys Over', 'The one at the back is another country.', 'meadow', RIDGES, 17),
  seed('Between Two Showers', 'The dog shook himself just after.', 'lagoon', GROVE, 10),
];

const JONAS: readonly Seed[] = [
  seed('Quarter Past Blue', 'The quarter hour between lamps and stars.', 'dusk', SKYLINE, 13),
  seed('Pole Star, More or Less', 'The tripod leaned two degrees. So does the world.', 'frost', TRAILS, 8),
  seed('Cut for the Kitchen Table', 'Gone by Thursday.', 'dusk', PETALS, 4),
  seed('South Transept, Vespers', 'The light moves about a pew an hour.', 'silver', GLASS, 3),
  seed('Power Cut, 21:40', 'The last windows before the whole street went.', 'silver', SKYLINE, 5),
  seed('Harbour Lights Off', 'They switched them off for us, and for the seals.', 'dusk', AURORA, 9),
  seed('Ox-Eyes', 'A ditch beside the bypass, nothing more.', 'silver', PETALS, 16),
  seed('Six Hours Facing North', 'One frame, one thermos.', 'dusk', TRAILS, 2),
  seed('Workshop Window', 'Offcuts, hung up to see what they do.', 'frost', GLASS, 6),
  seed('Office Hours', 'Somebody on the ninth floor waters plants at night.', 'frost', SKYLINE, 3),
  seed('Green for Four Minutes', 'Long enough to find the tripod, not to open it.', 'frost', AURORA, 6),
  seed('Grandmother’s Border', 'She never planted anything in a straight line.', 'frost', PETALS, 7),
  seed('The 5:12 Goes Without Us', 'We had the platform, the rain and one umbrella.', 'silver', SKYLINE, 8),
  seed('Lift Shaft, Open to the Sky', 'The building was to be forty storeys high.', 'silver', TRAILS, 5),
  seed('Nine Panes, One Cracked', 'It was the neighbour’s ball, forty years ago.', 'dusk', GLASS, 11),
  seed('From the Multi-Storey', 'Level six, where nobody parks.', 'dusk', SKYLINE, 17),
  seed('Sent on the Wrong Day', 'They were for somebody else on Friday.', 'silver', PETALS, 11),
  seed('Roof of the Swimming Baths', 'The caretaker let us up, and held the ladder.', 'frost', AURORA, 13),
];

/** By the user's name. */
export const SEEDS: ReadonlyMap<string, readonly Seed[]> = new Map([
  ['mira', MIRA],
  ['jonas', JONAS],
]);

function seed(title: string, description: string, palette: string, scene: number, variant: number): Seed {
  return { title, description, palette, seed: variant * 9 + scene };
}
