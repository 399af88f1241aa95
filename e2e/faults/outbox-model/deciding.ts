import { RestError } from '../../../src/main/error.ts';
import type { OutboxEntry } from '../../../src/main/outbox/entry.ts';
import type { Outbox } from '../../../src/main/outbox/outbox.ts';
import { unreachable } from '../../../src/shared/unreachable.ts';
import type { Ledger } from './ledger.ts';
import { nameOf } from './ledger.ts';
import type { DecisionKind, User } from './plan.ts';
import { isAside } from './written.ts';
import type { Written } from './written.ts';

/** Decisions about what waits, and what the model knows of them. */
export class Deciding {
  readonly #ledger: Ledger;
  #edits = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Decides about one of the writes that wait, as a page would. `user`: for whom that page is. */
  async decide(outbox: Outbox, decision: DecisionKind, pick: number, user: () => User | null): Promise<void> {
    const entries = await outbox.list();
    const entry = entries[pick % Math.max(1, entries.length)];
    const write = entry && this.writeOf(entry);
    if (!entry || !write || write.discard !== 'none') return;
    const { signs } = this.#ledger;
    // Another user has no such write.
    const isSame = (): boolean => user() === write.user && this.#ledger.signs === signs;
    const isRefused = (error: unknown): boolean => isSame() && isAbsent(error);
    switch (decision) {
      case 'retry':
        return this.#retry(outbox, entry, write, isRefused);
      case 'edit':
        return this.#edit(outbox, entry, write, isRefused);
      case 'discard':
        return this.#discard(outbox, entry, write, isRefused);
      default:
        return unreachable(decision);
    }
  }

  async retry(outbox: Outbox, entry: OutboxEntry): Promise<void> {
    const write = this.writeOf(entry);
    if (write) await this.#retry(outbox, entry, write, isAbsent);
  }

  /** The write of that entry, which is known from then on, though its page may be gone. */
  writeOf(entry: OutboxEntry): Written | undefined {
    const write = this.#ledger.ofEntry(entry.id) ?? this.#ledger.ofContent(entry.data);
    if (!write) this.#ledger.differ('a write waits that nobody has made');
    else write.entry ??= entry.id;
    return write;
  }

  #begin(write: Written): number {
    write.isRetried = true;
    return this.#ledger.now;
  }

  /** Where its server has refused it meanwhile, nobody knows whether it was sent on before that, or goes on now. */
  #resume(write: Written, begun: number): void {
    write.retriedAt = this.#ledger.now;
    if (isAside(write) && (write.reviewedAt ?? Infinity) > begun) return;
    if (isAside(write)) write.resumedAt = this.#ledger.now;
    write.isRetried = false;
  }

  async #retry(outbox: Outbox, { id }: OutboxEntry, write: Written, isRefused: IsRefused): Promise<void> {
    const begun = this.#begin(write);
    try {
      await outbox.retry(id);
      this.#resume(write, begun);
    } catch (error) {
      if (isRefused(error)) write.isRetried = false;
    }
  }

  async #edit(outbox: Outbox, { id }: OutboxEntry, write: Written, isRefused: IsRefused): Promise<void> {
    const { n, action, tag } = write;
    // Of two edits at a time, nobody knows which is the last.
    if ((action !== 'create' && action !== 'rename') || write.titles.length > 1) return;
    const title = `title ${n} edited ${(this.#edits += 1)}`;
    const data = { w: n, title, ...(action === 'create' && { tag }) };
    const before = write.titles;
    write.titles = [...before, title];
    const begun = this.#begin(write);
    try {
      await outbox.edit(id, { data });
      if (write.version === null) write.titles = [title];
      write.edited = { titles: before, at: this.#ledger.now };
      this.#resume(write, begun);
    } catch (error) {
      if (isRefused(error)) [write.titles, write.isRetried] = [before, false];
    }
  }

  async #discard(outbox: Outbox, { id }: OutboxEntry, write: Written, isRefused: IsRefused): Promise<void> {
    write.discard = 'called';
    try {
      await outbox.discard(id);
      write.discard = 'done';
      write.discardedAt = this.#ledger.now;
    } catch (error) {
      if (isRefused(error)) write.discard = 'none';
      if (isRefused(error) && write.version === null) this.#ledger.differ(`${nameOf(write)} is gone`);
    }
  }
}

type IsRefused = (error: unknown) => boolean;

/** There is no such write, or its server may have it. */
function isAbsent(error: unknown): boolean {
  return error instanceof RestError && error.failure.code === 'outbox';
}
