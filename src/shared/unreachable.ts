/** Makes a `switch` exhaustive: it does not compile where a case is missing, and throws if one arrives anyway. */
export function unreachable(value: never): never {
  throw new TypeError(`Unexpected value: ${JSON.stringify(value)}`);
}
