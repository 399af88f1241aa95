import type { Outcome } from '../../shared/outcome.ts';
import type { LoopDeclaration, Submission, EventInterest } from '../../shared/protocol.ts';
import type { CallListener } from '../session/calls.ts';
import type { LoopListener, LoopView } from '../session/loop.ts';
import { Outbox } from '../outbox/outbox.ts';
import type { OutboxWires } from '../outbox/outbox.ts';
import { PendingWrites } from '../optimistic/pending-writes.ts';
import { QueryRecords } from '../queries/records.ts';
import { ResourceCore } from './core.ts';
import type { Link } from './link.ts';
import type { ConnectionSettings } from './prepare.ts';

export const SILENT: EventInterest = { started: false, sent: false, progress: false };

/** A connection that records its requests; tests give the answers. */
export class FakeLink implements Link {
  readonly settings: ConnectionSettings = {
    timeout: 30_000,
    retry: 0,
    answerSize: 67_108_864,
    credentials: 'same-origin',
    mode: 'cors',
    origins: [],
    secretHeaders: [],
  };
  readonly records: QueryRecords = new QueryRecords();
  readonly pending: PendingWrites = new PendingWrites(() => Date.now());
  readonly outbox: OutboxWires = Outbox.wiresOf(
    new Outbox({ request: (command) => this.session.request(command), pending: this.pending }),
  );
  readonly calls: { readonly submission: Submission; readonly listener: CallListener }[] = [];
  readonly loops: { readonly declaration: LoopDeclaration; readonly listener: LoopListener }[] = [];
  /** The requests other than calls and loops, in order. */
  readonly asked: unknown[] = [];
  /** When each loop asks next. */
  readonly due: Map<number, number> = new Map();
  /** The view of each loop that resources get. */
  readonly #views = new Map<number, FakeView>();
  #lastId = 0;

  readonly nextId = (): number => (this.#lastId += 1);

  readonly session: Link['session'] = {
    call: (submission, listener) => {
      this.calls.push({ submission, listener });
      return { submission };
    },
    abort: (ids) => void this.asked.push(['abort', ...ids]),
    declare: (declaration, listener) => this.#declare(declaration, listener),
    setInterval: (loop, interval) => void this.asked.push(['interval', loop, interval]),
    setInterest: (loop, interest) => this.#setInterest(loop, interest),
    cut: (loop) => void this.asked.push(['cut', loop]),
    stop: (loop) => void this.asked.push(['stop', loop]),
    request: async (command) => {
      this.asked.push(['request', command.kind]);
      return { kind: 'done' };
    },
    signing: { identity: { era: 0 }, follow: () => {} },
  };

  /** Settles the last call. */
  settle(outcome: Outcome): void {
    this.calls.at(-1)?.listener.settled(outcome);
  }

  /** Brings a tick of the last declared loop. */
  tick(outcome: Outcome, ended = false): void {
    this.loops.at(-1)?.listener.tick(outcome, ended);
  }

  #declare(declaration: LoopDeclaration, listener: LoopListener): LoopView {
    const { loop } = declaration;
    const view = new FakeView(declaration, () => this.due.get(loop) ?? null);
    this.#views.set(loop, view);
    this.loops.push({ declaration, listener });
    return view;
  }

  #setInterest(loop: number, interest: EventInterest): void {
    this.asked.push(['interest', loop, interest]);
    const view = this.#views.get(loop);
    if (view) view.declaration = { ...view.declaration, interest };
  }
}

class FakeView implements LoopView {
  declaration: LoopDeclaration;
  readonly #dueAt: () => number | null;

  constructor(declaration: LoopDeclaration, dueAt: () => number | null) {
    this.declaration = declaration;
    this.#dueAt = dueAt;
  }

  get dueAt(): number | null {
    return this.#dueAt();
  }
}

/** A resource's core over that link, which tells nobody. */
export function quietCore(link: FakeLink): ResourceCore {
  return new ResourceCore('', {
    name: '',
    link: () => link,
    documentUrl: () => 'https://page.example/',
    notify: () => {},
    interest: () => SILENT,
    hears: () => true,
  });
}
