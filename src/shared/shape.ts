/**
 * Shapes of messages, in a few words that combine. A shape returns what is wrong with a value, and where; null where
 * nothing is. Only own data properties count: neither a prototype nor a getter can replace one.
 */
export interface Shape<T> {
  (value: unknown): string | null;
  /** Only for the compiler: it tells the shapes of two types apart. */
  readonly of?: T;
}

/** A shape for every property: a missing one does not compile. */
export type Fields<T> = { readonly [Name in keyof T]-?: Shape<T[Name]> };

/** Allows other properties: nobody reads them. */
export function object<T extends object>(fields: Fields<T>): Shape<T> {
  const entries = Object.entries<Shape<unknown>>(fields);
  return (value) => (isObject(value) ? flawIn(value, entries) : ' must be an object');
}

/** A union on `kind`: a missing kind does not compile. */
export function variants<T extends { readonly kind: string }>(kinds: {
  readonly [Kind in T['kind']]: Fields<Omit<Extract<T, { readonly kind: Kind }>, 'kind'>>;
}): Shape<T> {
  const shapes = new Map(
    Object.entries<object>(kinds).map(([kind, fields]) => [
      kind,
      Object.entries<Shape<unknown>>({ ...fields }),
    ]),
  );
  return (value) => {
    if (!isObject(value)) return ' must be an object';
    const kind = own(value, 'kind');
    const entries = typeof kind === 'string' ? shapes.get(kind) : undefined;
    return entries ? flawIn(value, entries) : `.kind must be ${[...shapes.keys()].join(', ')}`;
  };
}

/** Holes count as flaws, so a list of a billion holes is not walked through. */
export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return ' must be a list';
    for (let index = 0; index < value.length; index += 1) {
      const flaw = item(own(value, String(index)));
      if (flaw !== null) return `[${index}]${flaw}`;
    }
    return null;
  };
}

/** A list that is not longer than that. */
export function atMost<T>(most: number, item: Shape<T>): Shape<readonly T[]> {
  const items = list(item);
  return (value) =>
    Array.isArray(value) && value.length > most ? ` must be a list of at most ${most}` : items(value);
}

export function pair<A, B>(first: Shape<A>, second: Shape<B>): Shape<readonly [A, B]> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== 2) return ' must be a pair';
    const flaw = first(own(value, '0'));
    if (flaw !== null) return `[0]${flaw}`;
    const other = second(own(value, '1'));
    return other === null ? null : `[1]${other}`;
  };
}

export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return (value) => (one(value) === null ? null : other(value));
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? null : shape(value));
}

/** For properties that older pages leave out. */
export function orMissing<T>(shape: Shape<T>): Shape<T> {
  return (value) => (value === undefined ? null : shape(value));
}

/** One of the keys of `words`: a missing word does not compile. */
export function word<T extends string>(words: Readonly<Record<T, true>>): Shape<T> {
  return must(
    (value) => typeof value === 'string' && Object.hasOwn(words, value),
    `be ${Object.keys(words).join(', ')}`,
  );
}

/** A shape of its own: a value for which `holds` is false must do as `demand` says. */
export function must<T>(holds: (value: unknown) => boolean, demand: string): Shape<T> {
  return (value) => (holds(value) ? null : ` must ${demand}`);
}

export const text: Shape<string> = must((value) => typeof value === 'string', 'be text');

export const flag: Shape<boolean> = must((value) => typeof value === 'boolean', 'be true or false');

export const bytes: Shape<ArrayBuffer> = must(
  (value) => value instanceof ArrayBuffer && Object.getPrototypeOf(value) === ArrayBuffer.prototype,
  'be an ArrayBuffer',
);

/** A whole number from 1, for ids. */
export const ordinal: Shape<number> = must(
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
  'be a whole number from 1',
);

export const count: Shape<number> = must(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'be a whole number from 0',
);

export const integer: Shape<number> = must(Number.isSafeInteger, 'be a whole number');

export function numberBetween(least: number, most: number): Shape<number> {
  return must(
    (value) => Number.isFinite(value) && Number(value) >= least && Number(value) <= most,
    `be a number from ${least} to ${most}`,
  );
}

export function numberFrom(least: number): Shape<number> {
  return must((value) => Number.isFinite(value) && Number(value) >= least, `be a number from ${least}`);
}

export const positive: Shape<number> = must(
  (value) => Number.isFinite(value) && Number(value) > 0,
  'be a number above 0',
);

function flawIn(value: object, entries: readonly (readonly [string, Shape<unknown>])[]): string | null {
  for (const [name, shape] of entries) {
    const flaw = shape(own(value, name));
    if (flaw !== null) return `.${name}${flaw}`;
  }
  return null;
}

function own(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** True for an object of any kind, including lists. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
