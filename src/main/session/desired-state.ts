import type { Command } from '../../shared/protocol.ts';
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

export interface PresencePorts {
  readonly loops: Pick<DeclaredLoops, 'hidden' | 'online'>;
  readonly tell: (command: Command) => void;
  /** The network is back. */
  readonly sayOnline: (news: OnlineNews) => void;
  /** Loops may be due. */
  readonly wake: () => void;
  /** The page is back. */
  readonly back: () => void;
}

/** Whether the page is there and shown, and when it saw its network come back. */
export class Presence {
  readonly news: OnlineNews = new OnlineNews();
  readonly #ports: PresencePorts;
  #isAway = false;

  constructor(ports: PresencePorts) {
    this.#ports = ports;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  online(): void {
    const { loops, wake, sayOnline } = this.#ports;
    this.news.note();
    loops.online();
    wake();
    sayOnline(this.news);
  }

  setHidden(hidden: boolean): void {
    const { loops, wake, tell } = this.#ports;
    if (hidden === loops.hidden) return;
    loops.hidden = hidden;
    // A page that enters the back/forward cache is hidden too, but the worker's answer would remove it from the cache.
    if (this.#isAway) return;
    wake();
    tell({ kind: 'visibility', hidden });
  }

  /** The page goes away, for good or into the back/forward cache: its loops rest. */
  leave(): void {
    this.#isAway = true;
    this.#ports.tell({ kind: 'leave' });
  }

  show(): void {
    this.#isAway = false;
    this.#ports.back();
    // Overdue loops ask now, although nothing needed a worker meanwhile.
    this.#ports.wake();
  }
}
