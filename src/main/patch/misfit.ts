/** Says that a patch was made for another revision, and how that shows. */
export function misfit(detail: string): never {
  throw new TypeError(`The patch does not fit: ${detail}`);
}
