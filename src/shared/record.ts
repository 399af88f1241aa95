/** Whether a value has properties to look at: an object of any kind, lists as well. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
