import { messageOf } from '../../shared/failure.ts';
import type { Failure } from '../../shared/failure.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { OutboxStore } from '../contracts/outbox-store.ts';
import { givenAmong, unknownName } from '../contracts/temporary-id.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import { renamedInvocation } from '../contracts/temporary-ids.ts';

/**
 * A call that is not queued, with the ids that servers have given to what queued writes have created; a failure where these cannot
 * be read, and for a write where one has none. `temporaryIds`: all that it names. Never rejects.
 */
export async function namedCall(
  invocation: Invocation,
  temporaryIds: readonly string[],
  store: Pick<OutboxStore, 'names'>,
): Promise<Invocation | Failure> {
  try {
    const known = await store.names(temporaryIds);
    const lacking = isSafe(invocation.method) ? null : lackingAmong(known);
    return lacking ?? renamedInvocation(invocation, givenAmong(known));
  } catch (error) {
    const message = `What its temporary ids stand for cannot be read: ${messageOf(error)}`;
    return { code: 'storage', message };
  }
}

/** Where nothing was ever queued, or all of it is gone. */
export const NO_NAMES: Pick<OutboxStore, 'names'> = {
  names: async (temporaryIds) => new Map(temporaryIds.map((each) => [each, unknownName(each)])),
};

/** Why a write cannot be sent now; null where each thing that it names has an id. */
function lackingAmong(known: ReadonlyMap<string, Naming>): Failure | null {
  for (const [temporaryId, naming] of known) {
    if (naming.kind === 'never') return { code: 'outbox', message: naming.why };
    if (naming.kind === 'awaited')
      return { code: 'outbox', message: `'${temporaryId}' has no id yet: a queued call waits for that` };
  }
  return null;
}
