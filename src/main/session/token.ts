import { hexadecimal } from '../../shared/hexadecimal.ts';

/** The unguessable name of a session: 128 bits. `crypto.randomUUID` is missing in pages that came over plain http. */
export function makeToken(): string {
  return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}
