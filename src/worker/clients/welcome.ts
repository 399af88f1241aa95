import type { Failure } from '../../shared/failure.ts';
import { IDENTITY_CHANGED } from '../../shared/identity.ts';
import { PROTOCOL } from '../../shared/protocol.ts';
import type { Greeting, Submission, Welcome } from '../../shared/protocol.ts';
import type { Services } from './services.ts';

/** The answer to a greeting, once this instance's lock is granted. */
export async function welcome(
  { instance, lock, identity }: Pick<Services, 'instance' | 'lock' | 'identity'>,
  calls: { readonly taken: readonly number[] },
  protocol: number,
): Promise<Welcome> {
  return {
    kind: 'welcome',
    protocol,
    instance,
    lock: await lock,
    taken: calls.taken,
    identity: identity.present,
  };
}

export function speaksOther(spoken: number): Welcome {
  const message = `The page speaks protocol ${spoken}, the worker ${PROTOCOL}: load the page again`;
  return { kind: 'refused', failure: { code: 'protocol', message } };
}

/** What a page wants that does not know who is signed in now was wanted under another identity: it ends. */
export function ofNothing(greeting: Greeting): Greeting {
  return { ...greeting, calls: [], loops: [], later: [] };
}

/** This worker instance ends for a newer one. */
export async function draining({ lock }: Pick<Services, 'lock'>): Promise<Welcome> {
  return { kind: 'draining', lock: await lock };
}

/** Why a call that was made for another identity is refused; null where it is for the present one. */
export function refuseOther(
  identity: Pick<Services['identity'], 'isPresent'>,
  { epoch }: Submission,
): Failure | null {
  return identity.isPresent(epoch) ? null : IDENTITY_CHANGED;
}
