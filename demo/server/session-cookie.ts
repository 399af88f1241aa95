import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_LENGTH } from './sessions.ts';

const NAME = 'contact-sheet';

// No script can read it, and no page of another site can have it sent along with a write (`Lax`). It is not `Secure`,
// because the demo is served over plain HTTP on this machine.
const ATTRIBUTES = 'HttpOnly; SameSite=Lax; Path=/';

export function sessionCookie(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${SESSION_LENGTH}`;
}

export function endedCookie(): string {
  return `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;
}

/** The token that a request was sent with. */
export function readToken({ cookie = '' }: IncomingHttpHeaders): string | null {
  const pairs = cookie.split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${NAME}=`));
  return found?.slice(NAME.length + 1) ?? null;
}
