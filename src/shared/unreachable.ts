/** Makes a `switch` exhaustive: a missing case does not compile, and throws if it occurs anyway. */
export function unreachable(value: never): never {
  throw new TypeError(`Unexpected value: ${JSON.stringify(value)}`);
}
