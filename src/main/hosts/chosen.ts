import { Late, within } from '../deadline.ts';
import { choose } from './choose.ts';
import type { HostChoice, Search } from './choose.ts';
import type { Host, HostKind, HostWatcher } from './host.ts';

/** Milliseconds that a service worker has to become active before the page does without it. */
const PATIENCE = 3_000;

/** So many greetings that nobody answers, three seconds each, and the worker is taken for none. */
const SILENCES = 2;

/** The host that an app's choice and the platform leave: chosen once, and kept for the rest of the page's life. */
export class ChosenHost implements Host {
  readonly #choice: HostChoice;
  readonly #hosts: Readonly<Record<HostKind, Host>>;
  #kind: HostKind | null;
  #search: Promise<Search> | null = null;
  #hasAnswered = false;
  #silences = 0;

  constructor(choice: HostChoice, hosts: Readonly<Record<HostKind, Host>>) {
    this.#choice = choice;
    this.#hosts = hosts;
    this.#kind = choose(choice, 'under way');
  }

  get kind(): HostKind | null {
    return this.#kind;
  }

  async ready(): Promise<void> {
    if (this.#isSilent) this.#giveUp();
    if (this.#kind) return this.#hosts[this.#kind].ready();
    this.#search ??= searched(this.#hosts['service-worker'].ready());
    const kind = choose(this.#choice, await this.#search);
    this.#kind = kind;
    if (kind === 'page') await this.#hosts.page.ready();
  }

  post(message: unknown, transfer: readonly object[]): void {
    if (!this.#kind) throw new Error('Where the engine runs is not decided yet');
    this.#hosts[this.#kind].post(message, transfer);
  }

  greeted(answered: boolean): void {
    this.#hasAnswered ||= answered;
    this.#silences += 1;
  }

  get waiting(): boolean {
    return this.#kind !== 'page' && this.#hosts['service-worker'].waiting;
  }

  watch(watcher: HostWatcher): () => void {
    return this.#hosts['service-worker'].watch(watcher);
  }

  skipWaiting(): Promise<void> {
    return this.#hosts['service-worker'].skipWaiting();
  }

  listen(receive: (data: unknown) => boolean): () => void {
    return this.#kind ? this.#hosts[this.#kind].listen(receive) : () => {};
  }

  /** The worker is active but not ours, or was withdrawn: it has never answered. */
  get #isSilent(): boolean {
    return this.#kind === 'service-worker' && !this.#hasAnswered && this.#silences >= SILENCES;
  }

  /** @throws Error where the app wants nothing but a service worker, which is then tried again. */
  #giveUp(): void {
    this.#silences = 0;
    this.#kind = choose(this.#choice, 'silent');
    if (this.#kind === 'service-worker') throw new Error(SILENT);
  }
}

async function searched(ready: Promise<void>): Promise<Search> {
  try {
    await within(PATIENCE, 'The search for a service worker', ready);
    return 'active';
  } catch (error) {
    return error instanceof Late ? 'late' : 'refused';
  }
}

const SILENT =
  "the service worker is active but does not answer; does its script call install(self) of 'offstage/worker'?";
