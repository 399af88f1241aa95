import { findUser } from '../users.ts';
import type { User } from '../users.ts';
import { isRecord } from './photo.ts';

const PATH = '/api/session';

/** Milliseconds. */
const PATIENCE = 10_000;

/** The user whose session is in the cookie. Rejects where the server cannot be asked. */
export async function askServer(): Promise<User | null> {
  const answer: unknown = await (await send('GET', null)).json();
  return (isRecord(answer) && findUser(answer['user'])) || null;
}

/** Has the cookie made that user's, or nobody's. Rejects where the server cannot be told. */
export async function tellServer(user: User | null): Promise<void> {
  await (user === null ? send('DELETE', null) : send('POST', { user: user.name }));
}

// Not by Offstage: whose answers its worker tells and keeps is what is being decided here.
async function send(method: string, fields: Record<string, string> | null): Promise<Response> {
  const body = fields && new URLSearchParams(fields);
  const response = await fetch(PATH, { method, body, signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Error(`The server answers ${response.status}.`);
  return response;
}
