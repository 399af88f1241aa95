import type { Decision, Ticket } from '../../shared/outbox.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json } from '../platform/system.fixture.ts';
import type { OutboxStage, OutboxTab } from './outbox-stage.fixture.ts';

// Writes that create something, and others that name it before its server has.

export const TEMPORARY: string = `temporary-${'a'.repeat(32)}`;
export const OTHER: string = `temporary-${'b'.repeat(32)}`;

export const CREATES: Pick<Ticket, 'creates'> = { creates: { temporaryId: TEMPORARY, at: '/id' } };
export const CREATES_OTHER: Pick<Ticket, 'creates'> = { creates: { temporaryId: OTHER, at: '/id' } };

/** A write that names what is created so. */
export const USER: Wish = { method: 'PUT', template: '/photo/{id}', params: [['id', TEMPORARY]] };

export const FORM: Wish = { headers: [['Content-Type', 'application/x-www-form-urlencoded']] };

/** Its server has created it, and names it. */
export function made(id: unknown): Response {
  return json({ id }, {}, 201);
}

/** The paths that the server was asked for, and how. */
export function askedOf(stage: OutboxStage): string[] {
  return stage.world.requests.map(({ url, init }) => `${String(init.method)} ${new URL(url).pathname}`);
}

export async function decide(tab: OutboxTab, entry: string, decision: Decision): Promise<void> {
  await tab.remote.control({ kind: 'decide', entry, decision });
}
