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

/** Counts how often the page saw its network come back, and up to which time a worker has stored that. */
export class OnlineNews {
  #seen = 0;
  #stored = 0;

  note(): void {
    this.#seen += 1;
  }

  /** True as long as no worker has stored that the network came back. */
  get isNews(): boolean {
    return this.#seen > this.#stored;
  }

  /** All that was noted by now is being told. Returns what to call once it is stored. */
  telling(): () => void {
    const seen = this.#seen;
    return () => {
      this.#stored = seen;
    };
  }
}
