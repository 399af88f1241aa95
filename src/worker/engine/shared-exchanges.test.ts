import { expect, test } from 'vitest';
import { answered } from '../contracts/outcome.fixture.ts';
import { Exchange } from '../exchange/exchange.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { Deferred } from '../platform/waiting.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { SharedExchanges } from './shared-exchanges.ts';
import type { Caller } from './shared-exchanges.ts';

const URL = 'https://page.example/photo';

class Stage {
  readonly system: FakeSystem = new FakeSystem();
  readonly exchanges: SharedExchanges = new SharedExchanges(() => this.system.clock.now());
  /** Let the exchanges end that were begun, one each. */
  readonly runs: Deferred<ReadOutcome>[] = [];

  join(signal: AbortSignal): Promise<unknown> {
    const limit = new Exchange(this.system).limit(invocation(), URL, signal);
    const caller: Caller = {
      page: 'one',
      limit,
      watch: {},
      request: { method: 'GET', url: URL, headers: [] },
    };
    return this.exchanges.join('https://page.example', 'key', caller, () => {
      const run = new Deferred<ReadOutcome>();
      this.runs.push(run);
      return run.promise;
    });
  }
}

test('an exchange that all have left is joined by nobody, and forgotten when it has ended', async () => {
  const stage = new Stage();
  const [first, second] = [new AbortController(), new AbortController()];
  const joined = stage.join(first.signal);
  first.abort();
  expect(await joined).toMatchObject({ kind: 'failed', failure: { code: 'aborted' } });
  const other = stage.join(second.signal);
  expect(stage.runs).toHaveLength(2);
  second.abort();
  await other;
  for (const { resolve } of stage.runs) resolve(answered());
  await settle();
  expect(stage.exchanges.size).toBe(0);
});
