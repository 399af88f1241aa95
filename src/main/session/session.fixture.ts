import type { FakeSystem } from '../../worker/platform/system.fixture.ts';
import type { Host } from '../hosts/host.ts';
import { NOTHING_QUEUED } from './outbox.fixture.ts';
import { QueryRecords } from '../queries/records.ts';
import { Session } from './session.ts';

/** A session on a system's clock, whose worker is dead once `over` resolves. It tells nobody of changes. */
export function sessionOf(
  host: Host,
  token: string,
  { clock }: Pick<FakeSystem, 'clock'>,
  over: () => Promise<void>,
  records: QueryRecords = new QueryRecords(),
): Session {
  return new Session(
    host,
    {
      token,
      now: () => clock.now(),
      elapsed: () => clock.unset,
      released: (_lock, signal) => Promise.race([over(), aborted(signal)]),
      changed: () => {},
      outbox: NOTHING_QUEUED,
      storage: () => {},
      origin: () => {},
      identified: () => {},
      waits: () => {},
      credentials: async () => ({ kind: 'failed', message: 'There is no provider' }),
    },
    records,
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}
