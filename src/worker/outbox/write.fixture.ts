import { invocation } from '../address/invocation.fixture.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';

/** A write that was queued as the `place`th. */
export function write(place: number, differing: Partial<WaitingWrite> = {}): WaitingWrite {
  return {
    place,
    version: 0,
    entry: `write ${place}`,
    resource: 'photos',
    action: 'create',
    invocation: invocation('/photos', [], { action: 'create', method: 'POST' }),
    lane: 'photos',
    key: `key ${place}`,
    state: 'queued',
    attempts: 0,
    mayBeDone: false,
    failures: 0,
    notBefore: 0,
    floor: 0,
    failure: null,
    queuedAt: place,
    temporaryId: null,
    idAt: null,
    givenId: null,
    uses: [],
    answer: null,
    url: null,
    matches: null,
    endedAt: null,
    unclearSince: null,
    isShown: false,
    needsCredentials: false,
    busySince: null,
    ...differing,
  };
}
