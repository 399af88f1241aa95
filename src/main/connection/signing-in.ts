import { LIMITS } from '../../shared/limits.ts';
import type { PendingWrites } from '../../shared/protocol.ts';
import { inDevelopment } from '../development.ts';
import { oneOf } from '../resource/option-checks.ts';
import type { Rules } from '../resource/option-checks.ts';

/** Milliseconds after which a development build warns of calls that wait. */
const WARNED_AFTER = 5_000;

const WAITING =
  'Offstage: somebody was signed in here, so calls wait until this page says who is now: ' +
  'connection.signIn(name), or connection.signOut()';

/** The options of `signOut`. */
export interface SignOutOptions {
  /**
   * Has no effect yet, since no write waits to be sent later. Such writes will be kept until the same user signs in again
   * (`keep`, the default), or discarded.
   */
  readonly pendingWrites?: PendingWrites;
}

export function signOutRules(): Rules<SignOutOptions> {
  return { pendingWrites: oneOf('keep', 'discard') };
}

/** @throws TypeError where it is not a text, RangeError where it is too short or too long. */
export function assertIdentityName(name: unknown): void {
  if (typeof name !== 'string') throw new TypeError(`The name for signIn must be a text, got ${typeof name}`);
  const most = LIMITS.identityName;
  if (name.length < 1 || name.length > most)
    throw new RangeError(`The name for signIn must have 1 to ${most} characters, got ${name.length}`);
}

/** In development builds: after the first call, warns where the page still waits a while later. */
export function warnOnce(isWaiting: () => boolean): () => void {
  let hasBegun = false;
  const warn = (): void => {
    if (isWaiting()) console.warn(WAITING);
  };
  return () =>
    inDevelopment(() => {
      if (!hasBegun) setTimeout(warn, WARNED_AFTER);
      hasBegun = true;
    });
}
