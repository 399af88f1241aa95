import type { CredentialsReply } from '../../shared/credentials.ts';
import type { CredentialsWanted } from '../../shared/delivery.ts';
import type { Command } from '../../shared/protocol.ts';

export interface ProvisionPorts {
  /** Asks the provider; never rejects. */
  readonly ask: (wanted: CredentialsWanted) => Promise<CredentialsReply>;
  readonly tell: (command: Command) => void;
  /** Tells the engines that the page has left: a call that one of them still has may wait for credentials. */
  readonly tellLeft: (command: Command) => void;
  /** Tells the present worker, and insists: a request waits for it. */
  readonly request: (command: Command) => Promise<unknown>;
}

/** The page's part in credentials: for which origins it has a provider, and the answers to the worker's questions. */
export class Provision {
  readonly #ports: ProvisionPorts;
  #origins: readonly string[] = [];

  constructor(ports: ProvisionPorts) {
    this.#ports = ports;
  }

  get origins(): readonly string[] {
    return this.#origins;
  }

  set(origins: readonly string[]): void {
    this.#origins = origins;
    this.#ports.tell({ kind: 'provides', origins });
  }

  /** Says at once that the provider is asked: it may take a while, and the worker would ask another page. */
  async answer(wanted: CredentialsWanted): Promise<void> {
    const { ask, tell, tellLeft, request } = this.#ports;
    const { question } = wanted;
    const asking: Command = { kind: 'credentials', question, reply: { kind: 'asking' } };
    tell(asking);
    tellLeft(asking);
    const command: Command = { kind: 'credentials', question, reply: await ask(wanted) };
    tellLeft(command);
    await request(command).catch(() => {});
  }
}
