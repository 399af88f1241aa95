import type { EarlyAnswer, EarlyEngine, EarlyRequest, EarlyResult } from '../../shared/early.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { unanswered } from '../../shared/outcome.ts';
import { FakeHost } from './host.fixture.ts';
import { answered } from './invocation.fixture.ts';
import { pass, SessionStage } from './stage.fixture.ts';

/** A request that the page has sent by itself. */
export class Sent {
  readonly invocation: Invocation;
  isAborted = false;
  end: (result: EarlyResult) => void = () => {};

  constructor(invocation: Invocation) {
    this.invocation = invocation;
  }

  answer(value: unknown): void {
    const { invocation } = this;
    const came = { status: 200, headers: [], bytes: new ArrayBuffer(2), receivedAt: 0, delay: 0 };
    const early = { kind: 'read', invocation, ...came, finalUrl: null, sender: null } as const;
    this.end({ kind: 'ended', outcome: answered(value, { revision: null }), early });
  }

  /** What the next engine is told of it where it was a write that may be done. */
  get asWrite(): EarlyAnswer {
    return { kind: 'write', invocation: this.invocation, headers: [], isDone: false };
  }

  /** It was a write, which has been answered. */
  write(): void {
    this.end({ kind: 'ended', outcome: answered('written'), early: this.asWrite });
  }

  fail(failure: Failure): void {
    this.end({ kind: 'ended', outcome: unanswered(failure), early: null });
  }
}

/** A first visit: its worker is active when a test says so. */
export class FirstVisit extends FakeHost {
  readonly sent: Sent[] = [];
  calm = false;
  #activate: () => void = () => {};
  #refuse: (why: Error) => void = () => {};
  readonly #active: Promise<void> = new Promise((resolve, reject) => {
    this.#activate = resolve;
    this.#refuse = reject;
  });

  override ready = (): Promise<void> => this.#active;

  early(): Promise<EarlyEngine> {
    return Promise.resolve({
      originOf: ({ baseUrl, documentUrl }) => new URL(baseUrl, documentUrl).origin,
      send: (invocation) => this.#send(invocation),
    });
  }

  begin(calm: Promise<void>): void {
    void calm.then(() => (this.calm = true));
  }

  async activate(): Promise<void> {
    this.#activate();
    await pass(1);
  }

  /** There is no worker, and will be none. */
  async refuse(): Promise<void> {
    this.#refuse(new Error('it is not allowed here'));
    await pass(1);
  }

  #send(invocation: Invocation): EarlyRequest {
    const sent = new Sent(invocation);
    this.sent.push(sent);
    const result = new Promise<EarlyResult>((resolve) => {
      sent.end = resolve;
    });
    const abort = (): void => {
      sent.isAborted = true;
      sent.fail({ code: 'aborted', message: 'aborted' });
    };
    return { result, abort };
  }
}

export class FirstVisitStage extends SessionStage {
  override readonly host: FirstVisit;

  constructor(host: FirstVisit = new FirstVisit()) {
    super(host);
    this.host = host;
    this.session.connect();
  }

  get sent(): Sent[] {
    return this.host.sent;
  }
}

export const PUT = { method: 'PUT', body: { kind: 'text', text: 'a' } } as const;
