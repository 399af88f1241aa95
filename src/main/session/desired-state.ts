import type { Calls } from './calls.ts';
import type { PageIdentity } from './identity.ts';
import type { DeclaredLoops } from './loops.ts';
import type { DesiredState } from './worker-connection.ts';

/** Everything that a page wants of its worker. Loops wait until it is known whose page this is. */
export function desiredState(
  { sent }: Pick<Calls, 'sent'>,
  { hidden, declarations }: Pick<DeclaredLoops, 'hidden' | 'declarations'>,
  { claim, isOpen }: Pick<PageIdentity, 'claim' | 'isOpen'>,
  said: Pick<DesiredState, 'online' | 'lineage' | 'provides'>,
): DesiredState {
  return {
    ...said,
    calls: sent,
    hidden,
    loops: isOpen ? declarations : [],
    ...(claim && { identity: claim }),
  };
}
