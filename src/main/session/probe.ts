import { FIRST_GREETING } from '../../shared/negotiate.ts';
import type { Welcome } from '../../shared/protocol.ts';
import { refusalIn } from '../../shared/refusal.ts';
import { within } from '../deadline.ts';
import type { Endpoint } from '../hosts/host.ts';
import type { Sight } from '../hosts/lookout.ts';
import { GREETING_DEADLINE } from './lifeline.ts';
import { Transport } from './transport.ts';
import { hexadecimal } from '../../shared/hexadecimal.ts';

/** Greets the engine behind a door, for nothing but to see whether it answers. Never rejects. */
export async function probe(door: Endpoint): Promise<Sight> {
  const line = new Transport(door, makeToken(), () => {});
  try {
    const greeting = line.remote.greet(FIRST_GREETING);
    const { kind } = await within(GREETING_DEADLINE, 'The greeting', greeting);
    if (kind === 'welcome') leave(line);
    return SIGHTS[kind];
  } catch (error) {
    if (refusalIn(error)) return 'refuses';
    // It may hear the greeting later, and would keep a session for it.
    leave(line);
    return 'silent';
  } finally {
    line.close();
  }
}

function leave(line: Transport): void {
  line.remote.control({ kind: 'close' }).catch(() => {});
}

const SIGHTS: Readonly<Record<Welcome['kind'], Sight>> = {
  welcome: 'answers',
  draining: 'draining',
  refused: 'refuses',
};

/** The unguessable name of a session: 128 bits. `crypto.randomUUID` is missing in pages that came over plain http. */
export function makeToken(): string {
  return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}
