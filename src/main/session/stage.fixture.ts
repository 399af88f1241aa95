import { NOTHING_QUEUED } from './outbox.fixture.ts';
import { vi } from 'vitest';
import type { CredentialsReply } from '../../shared/credentials.ts';
import type { CredentialsWanted } from '../../shared/delivery.ts';
import type { Header } from '../../shared/header.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import type { CallListener } from './calls.ts';
import { FakeHost, flush } from './host.fixture.ts';
import { declaration, submission } from './invocation.fixture.ts';
import type { Wish } from './invocation.fixture.ts';
import type { LoopListener } from './loop.ts';
import { Session } from './session.ts';

/** Records the events of a call. */
export class HeardCall implements CallListener {
  readonly outcomes: Outcome[] = [];
  readonly steps: unknown[] = [];

  sent(status: number, headers: readonly Header[]): void {
    this.steps.push(['sent', status, headers]);
  }

  progress(progress: unknown): void {
    this.steps.push(['progress', progress]);
  }

  preliminary(answered: Answered): void {
    this.steps.push(['preliminary', gist(answered)]);
  }

  settled(outcome: Outcome): void {
    this.outcomes.push(outcome);
  }

  /** How the call ended, in short: the answer's value, or the code of the failure. */
  get ends(): unknown[] {
    return this.outcomes.map(gist);
  }
}

/** Records the events of a loop. */
export class HeardLoop implements LoopListener {
  readonly ticks: { readonly outcome: Outcome; readonly ended: boolean }[] = [];
  readonly steps: unknown[] = [];

  ticking(): void {
    this.steps.push('ticking');
  }

  sent(status: number): void {
    this.steps.push(['sent', status]);
  }

  progress(progress: unknown): void {
    this.steps.push(['progress', progress]);
  }

  reset(): void {
    this.steps.push('reset');
  }

  tick(outcome: Outcome, ended: boolean): void {
    this.ticks.push({ outcome, ended });
  }

  unsent({ revision }: Answered<unknown>): void {
    this.steps.push(['unsent', revision?.number]);
  }

  get gists(): unknown[] {
    return this.ticks.map(({ outcome }) => gist(outcome));
  }
}

export function gist(outcome: Outcome): unknown {
  if (outcome.kind === 'failed') return outcome.failure.code;
  return outcome.answer.body.kind === 'value' ? outcome.answer.body.value : outcome.answer.body.bytes;
}

/** A session and its fake host, under fake timers. */
export class SessionStage {
  readonly host: FakeHost;
  readonly states: string[] = [];
  readonly storage: unknown[] = [];
  readonly origins: unknown[] = [];
  readonly identities: unknown[] = [];
  readonly session: Session;
  /** Answers the worker's questions for credentials. */
  provider: (wanted: CredentialsWanted) => Promise<CredentialsReply> = async () => ({
    kind: 'failed',
    message: 'There is no provider',
  });

  constructor(host: FakeHost = new FakeHost()) {
    this.host = host;
    this.session = new Session(host, {
      token: 'token',
      now: () => Date.now(),
      elapsed: () => performance.now(),
      released: host.released,
      changed: (state) => this.states.push(state),
      outbox: NOTHING_QUEUED,
      storage: (mode, reason) => this.storage.push([mode, reason]),
      origin: ({ origin, status }) => this.origins.push([origin, status]),
      credentials: (wanted) => this.provider(wanted),
      identified: () => this.identities.push(this.session.signing.identity.name),
      waits: () => {},
    });
  }

  /** Makes a call, and lets everything run. */
  async call(id: number, wish: Wish = {}): Promise<HeardCall> {
    const heard = new HeardCall();
    this.session.call(submission(id, wish), heard);
    await flush();
    return heard;
  }

  async declare(wish: Partial<LoopDeclaration> = {}): Promise<HeardLoop> {
    const heard = new HeardLoop();
    this.session.declare(declaration(wish), heard);
    await flush();
    return heard;
  }
}

export function fakeTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
    now: Date.UTC(2026, 0, 1),
  });
}

/** Waits for the task that a session leaves between a failure and its handlers' next requests. */
export async function nextTask(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1);
  await flush();
}

/** Moves fake timers on, a second at a time, with everything that happens in between. */
export async function pass(milliseconds: number): Promise<void> {
  await flush();
  for (let left = milliseconds; left > 0; left -= 1_000) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 1_000));
    await flush();
  }
}
