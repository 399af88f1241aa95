/** One life of a page that follows numbered changes. */
export interface Life {
  readonly tab: string;
  /** Whether the feed must go on where the tab's life before was: no other page has kept it running since. */
  readonly goesOn: boolean;
  /** What it has heard, in order. */
  readonly numbers: readonly number[];
}

/** What was not as it must be, in words. */
export interface FeedVerdict {
  /** Numbers that were passed over. */
  readonly lost: readonly string[];
  /** Numbers that one life was told again, or after a greater one. */
  readonly duplicated: readonly string[];
}

/** Holds what the lives of pages have heard, in the order in which they began, against the numbers 1 to `last`. */
export function judgeLives(lives: readonly Life[], tab: string, last: number): FeedVerdict {
  const ofTab = lives.filter((life) => life.tab === tab);
  return {
    lost: [
      ...lives.flatMap((life, index) => gapsOf(life, index)),
      ...gapsBetween(ofTab),
      ...unheard(lives, last),
      ...missingAtEnd(ofTab.at(-1), last),
    ],
    duplicated: lives.flatMap((life, index) => repetitionsOf(life, index)),
  };
}

function gapsOf({ tab, numbers }: Life, index: number): string[] {
  return pairs(numbers).flatMap(([one, next]) =>
    next > one + 1 ? [`life ${index} (${tab}): ${next} after ${one}`] : [],
  );
}

function repetitionsOf({ tab, numbers }: Life, index: number): string[] {
  return pairs(numbers).flatMap(([one, next]) =>
    next <= one ? [`life ${index} (${tab}): ${next} after ${one}`] : [],
  );
}

/** A life may be told again what the one before has heard, but nothing may be missing between them. */
function gapsBetween(lives: readonly Life[]): string[] {
  const gaps: string[] = [];
  // Unknown after a life that began anywhere and has heard nothing.
  let heard: number | null = 0;
  for (const { tab, goesOn, numbers } of lives) {
    const [first] = numbers;
    if (!goesOn) heard = null;
    if (first === undefined) continue;
    if (heard !== null && first > heard + 1) gaps.push(`a life of ${tab} begins at ${first} after ${heard}`);
    heard = numbers.at(-1) ?? first;
  }
  return gaps;
}

function unheard(lives: readonly Life[], last: number): string[] {
  const heard = new Set(lives.flatMap(({ numbers }) => numbers));
  return Array.from({ length: last }, (_, index) => index + 1).flatMap((number) =>
    heard.has(number) ? [] : [`${number} was told to nobody`],
  );
}

function missingAtEnd(life: Life | undefined, last: number): string[] {
  const newest = life?.numbers.at(-1) ?? 0;
  return newest === last ? [] : [`the last life has heard up to ${newest} of ${last}`];
}

function pairs(numbers: readonly number[]): (readonly [number, number])[] {
  return numbers.slice(1).map((next, index) => [numbers[index] ?? next, next]);
}
