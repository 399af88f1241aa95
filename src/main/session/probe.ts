import { FIRST_GREETING } from '../../shared/negotiate.ts';
import type { Welcome } from '../../shared/protocol.ts';
import { refusalIn } from '../../shared/guard.ts';
import { within } from '../deadline.ts';
import type { Endpoint } from '../hosts/host.ts';
import type { Sight } from '../hosts/lookout.ts';
import { GREETING_DEADLINE } from '../../shared/deadlines.ts';
import { Transport } from './transport.ts';
import { hexadecimal } from '../../shared/hexadecimal.ts';

/** Greets the engine behind an endpoint, only to find out whether it answers. Never rejects. */
export async function probe(endpoint: Endpoint): Promise<Sight> {
  const transport = new Transport(endpoint, makeToken(), () => {});
  try {
    const greeting = transport.remote.greet(FIRST_GREETING);
    const { kind } = await within(GREETING_DEADLINE, 'The greeting', greeting);
    if (kind === 'welcome') transport.tell({ kind: 'close' });
    return SIGHTS[kind];
  } catch (error) {
    if (refusalIn(error)) return 'refuses';
    // The worker may hear the greeting later, and would then keep a session for it.
    transport.tell({ kind: 'close' });
    return 'silent';
  } finally {
    transport.close();
  }
}

const SIGHTS: Readonly<Record<Welcome['kind'], Sight>> = {
  welcome: 'answers',
  draining: 'draining',
  refused: 'refuses',
};

/** The unguessable name of a session: 128 bits. `crypto.randomUUID` is missing in pages loaded over plain http. */
export function makeToken(): string {
  return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}
