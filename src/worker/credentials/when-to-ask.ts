import type { CredentialsReason } from '../../shared/credentials.ts';
import type { Credentials } from '../contracts/credentials.ts';

/** Credentials as the worker holds them. Times are milliseconds of the epoch. */
export interface Held extends Credentials {
  readonly givenAt: number;
  /** Null where they do not expire. */
  readonly expiresAt: number | null;
  /** True once a server has answered 401 to them. */
  readonly isRefused: boolean;
}

/** The part of their life after which the provider is asked for the next ones. */
const RENEWAL = 0.8;

/** Why the provider is to be asked before the next request; null if these are good. */
export function reasonToAsk(held: Held | null, now: number): CredentialsReason | null {
  if (!held) return 'first';
  if (held.isRefused) return 'refused';
  const { givenAt, expiresAt } = held;
  if (expiresAt === null) return null;
  return now >= givenAt + RENEWAL * (expiresAt - givenAt) ? 'expired' : null;
}

/** True if these can still be sent, so that no request need fail or wait long while the next ones are asked for. */
export function isUsable({ isRefused, expiresAt }: Held, now: number): boolean {
  return !isRefused && (expiresAt === null || now < expiresAt);
}
