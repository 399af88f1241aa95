import * as fc from 'fast-check';

/** Bodies as text, since much of what matters (spaces, escapes, `-0`, names given twice) is lost in values. */
export interface Body {
  readonly before: string;
  readonly members: readonly string[];
  readonly after: string;
}

export function textOfBody({ before, members, after }: Body): string {
  return before + members.join(',') + after;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The result of a generator, run without pauses. */
export function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

const space = fc.constantFrom('', '', '', ' ', '\n  ', '\t\r');

const oddities = [
  '-0',
  '0',
  '1e400',
  '1E5',
  '12.50',
  'null',
  'true',
  '"\\u0061"',
  '"a"',
  '"\\ud800"',
  '"\\"],[{\\\\"',
  '"[{"',
  '"\u{1f40c} ü"',
  '"\\\\"',
  '[]',
  '{}',
];

const names = ['"id"', '"a"', '"\\u0061"', '"__proto__"', '"constructor"', '"ü"', '"b\\"}"', '"key"'];

const { value } = fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 4, arbitrary: fc.constantFrom(...oddities) },
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => JSON.stringify(text)),
    tie('list'),
    tie('map'),
    tie('map'),
  ),
  list: fc
    .tuple(fc.array(tie('value'), { maxLength: 3 }), space)
    .map(([items, gap]) => `[${gap}${items.join(`${gap},`)}${gap}]`),
  map: fc
    .tuple(fc.array(fc.tuple(fc.constantFrom(...names), tie('value')), { maxLength: 3 }), space)
    .map(([items, gap]) => `{${gap}${items.map(([name, item]) => `${name}${gap}:${item}`).join(`,${gap}`)}}`),
}));

export const jsonText: fc.Arbitrary<string> = value;

/** Makes most bodies long enough to be compared, and a change small beside the whole. */
const LONG = `"${'long '.repeat(120)}"`;

const frames: fc.Arbitrary<readonly [kind: 'list' | 'map', before: string, after: string]> = fc
  .tuple(
    fc.constantFrom('list', 'map'),
    fc.constantFrom(
      ['', ''],
      ['{"items":', '}'],
      ['{"a":{"n":1}, "items" :', ',"total":[3]}\n'],
      ['{"data":{"__proto__":', '},"data2":null}'],
      ['{"\\u0061":', ',"b":{"c":[1,{}]}}'],
      ['\u{feff}{"items":', '}'],
      [' {"items":', ',"items2":{"\\u0061":1,"a":2}}'],
    ),
    space,
  )
  .map(([kind, [before, after], gap]) =>
    kind === 'list' ? [kind, `${before}[${gap}`, `]${after}`] : [kind, `${before}{${gap}`, `}${after}`],
  );

/** Members of an object mostly have names of their own. */
function memberOf(kind: 'list' | 'map', number: number): fc.Arbitrary<string> {
  const member = kind === 'list' ? value : fc.tuple(nameOf(number), value).map((pair) => pair.join(':'));
  return fc.tuple(member, space, space).map(([text, front, back]) => front + text + back);
}

function nameOf(number: number): fc.Arbitrary<string> {
  const own = { weight: 20, arbitrary: fc.constant(`"k${number}"`) };
  return fc.oneof(own, fc.constantFrom(...names));
}

/** A body and the next of the same kind. */
export const revisions: fc.Arbitrary<readonly [Body, Body]> = frames.chain(([kind, before, after]) => {
  const long = kind === 'list' ? LONG : `"long":${LONG}`;
  const members = fc
    .tuple(
      ...Array.from({ length: 9 }, (_, number) => memberOf(kind, number)),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([...all]) => {
      const count = Number(all.pop());
      return [long, ...all.slice(0, count).map(String)];
    });
  const edits = fc.array(edit(kind), { maxLength: 4 });
  return fc.tuple(members, edits, fc.constantFrom('', '', ' ', ',')).map(([old, changes, tail]) => {
    const next = changes.reduce<readonly string[]>((all, change) => change(all), old);
    const isOpen = tail === ',' && after.endsWith('}');
    const changed = isOpen ? `${after.slice(0, -1)},"more":{"n":-0}}` : after + tail.trim();
    return [
      { before, members: old, after },
      { before, members: next, after: after.length > 1 ? changed : after },
    ] as const;
  });
});

type Edit = (members: readonly string[]) => readonly string[];

function edit(kind: 'list' | 'map'): fc.Arbitrary<Edit> {
  const place = fc.nat({ max: 20 });
  return fc
    .tuple(
      fc.constantFrom('change', 'insert', 'remove', 'move', 'swap', 'sort', 'turn', 'double'),
      place,
      place,
      fc.nat({ max: 12 }).chain((number) => memberOf(kind, number)),
    )
    .map(([verb, one, other, member]) => (members) => {
      if (members.length === 0) return [member];
      const [from, to] = [one % members.length, other % members.length];
      const [here = '', there = ''] = [members[from], members[to]];
      switch (verb) {
        case 'change':
          return members.with(from, kind === 'map' ? `${here.slice(0, here.indexOf(':'))}:[-0]` : member);
        case 'insert':
          return members.toSpliced(from, 0, member);
        case 'remove':
          return members.toSpliced(from, 1);
        case 'move':
          return members.toSpliced(from, 1).toSpliced(to, 0, here);
        case 'swap':
          return members.with(from, there).with(to, here);
        case 'sort':
          return members.toSorted();
        case 'turn':
          return [...members.slice(from), ...members.slice(0, from)];
        case 'double':
          return kind === 'list' ? members.toSpliced(to, 0, here) : members;
        default:
          return members;
      }
    });
}

type Blow = readonly [place: number, removed: number, byte: number];

const LIKELY_BYTES = [...bytesOf('[]{}",:\\ 0-ane\u{feff}'), 0xe2, 0x82, 0xff, 0xc0, 0xf0, 0x0b, 0x0c];

/** Some other bytes in a body: mostly what JSON is held together by. */
export const blows: fc.Arbitrary<readonly Blow[]> = fc.array(
  fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...LIKELY_BYTES)),
  { minLength: 1, maxLength: 3 },
);

export function struck(bytes: Uint8Array, all: readonly Blow[]): Uint8Array {
  return all.reduce((result, [place, removed, byte]) => {
    const at = place % (result.length + 1);
    return Uint8Array.from([...result.subarray(0, at), byte, ...result.subarray(at + removed)]);
  }, bytes);
}

/** The long member would take most of the blows. Here it is shorter, and what follows makes the body long enough. */
export function shortened(body: Body): Body {
  const members = body.members.map((member) => member.replaceAll('long '.repeat(60), ''));
  return { ...body, members: [...members, ...members.filter((member) => !member.includes(':'))] };
}
