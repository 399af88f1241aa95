/** Names that are no members yet and would do harm: `stream` is to come, and `then` would make a thenable of it. */
const RESERVED = ['stream', 'then'];

/**
 * An action becomes a method of its resource, so its name must be free there.
 * @throws TypeError where it is no name; Error where it is taken by anything but an action.
 */
export function assertName(name: unknown, resource: object, isAction: boolean): asserts name is string {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('The name of an action must be a non-empty string');
  if (RESERVED.includes(name) || (name in resource && !isAction)) {
    throw new Error(`Method with name of action (${name}) already exists`);
  }
}
