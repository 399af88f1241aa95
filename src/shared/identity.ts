import type { Failure } from './failure.ts';

/** Who is signed in, as a worker tells its pages. */
export interface Identity {
  /** The name that the app gave; null for nobody, and where this worker instance has not heard the name yet. */
  readonly name: string | null;
  readonly isSignedIn: boolean;
  /** Raised by every sign-in and sign-out: what was said in another epoch was said under another identity. */
  readonly epoch: number;
}

/** Who is signed in as far as a page knows. */
export type Claim = Pick<Identity, 'name' | 'epoch'>;

/** The end of whatever was under way when the identity changed. */
export const IDENTITY_CHANGED: Failure = {
  code: 'identity-changed',
  message: 'Somebody else is signed in now, or nobody: a write that was under way may have been applied',
};
