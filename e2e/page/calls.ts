import { Resource, RestError, connect, type Connection } from 'offstage';
import type { Told } from '../faults/checker.ts';

/** A call that a row of the fault bench wants to be made. */
export interface PlannedCall {
  /** The id that it carries to the server. */
  readonly key: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Milliseconds to wait before it is made. */
  readonly after: number;
  /** Calls of one lane are made one after the other, each when the one before has settled. */
  readonly lane?: string;
  /** Milliseconds that it is given. */
  readonly deadline: number;
  /** Milliseconds after which the page aborts it. */
  readonly abortAfter?: number;
  /** How often the worker may repeat it. */
  readonly retry?: number;
}

/** Makes all calls and says how each has ended; returns even where some hang. */
export function makeCalls(plan: readonly PlannedCall[], connection: Connection = connect()): Promise<Told[]> {
  const lanes = new Map<string, Promise<unknown>>();
  return Promise.all(
    plan.map((call) => {
      if (call.lane === undefined) return makeCall(call, connection);
      const before = lanes.get(call.lane) ?? Promise.resolve();
      const told = before.then(() => makeCall(call, connection));
      lanes.set(call.lane, told);
      return told;
    }),
  );
}

async function makeCall(
  { key, method, url, after, deadline, abortAfter, retry = 0 }: PlannedCall,
  connection: Connection,
): Promise<Told> {
  const resource = new Resource({ send: { method, url, timeout: deadline, retry } }, { connection });
  await sleep(after);
  const madeAt = Date.now();
  const id = resource.send();
  const result = resource.result(id);
  if (abortAfter !== undefined) setTimeout(() => resource.abort(id), abortAfter);
  const ending = await Promise.race([result.then(() => 'answered', codeOf), sleep(deadline + 2_500)]);
  resource.dispose();
  if (typeof ending !== 'string') return { key, method, madeAt, deadline, settledAt: null, ending: null };
  return { key, method, madeAt, deadline, settledAt: Date.now(), ending };
}

function codeOf(error: unknown): string {
  return error instanceof RestError ? error.code : String(error);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
