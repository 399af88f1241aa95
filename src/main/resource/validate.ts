import type { SchemaIssue } from '../../shared/failure.ts';
import { LONGEST_TIMER } from '../../shared/limits.ts';
import { messageOf } from '../../shared/failure.ts';
import { issueOf, summary } from '../../shared/standard-schema.ts';
import type { StandardResult, StandardSchemaV1 } from '../../shared/standard-schema.ts';
import { RestError } from '../error.ts';
import { within } from '../deadline.ts';
import type { Notice } from './notice.ts';

/**
 * Validates a successful answer against its action's schema. Returns the notice with the schema's output, or an error
 * with its issues. Returns a promise only where the schema does; that takes `timeout` milliseconds at most.
 */
export function validate(
  notice: Notice,
  schema: StandardSchemaV1 | null,
  timeout: number,
): Notice | Promise<Notice> {
  if (notice.type !== 'success' || schema === null) return notice;
  try {
    const result = schema['~standard'].validate(notice.response);
    return isPromise(result) ? judgedLater(notice, result, timeout) : judged(notice, result);
  } catch (cause) {
    return broken(notice, cause);
  }
}

async function judgedLater(
  notice: Notice,
  result: Promise<StandardResult<unknown>>,
  timeout: number,
): Promise<Notice> {
  const what = `The schema of '${notice.action}'`;
  try {
    return judged(notice, await within(Math.min(timeout, LONGEST_TIMER), what, Promise.resolve(result)));
  } catch (cause) {
    return broken(notice, cause);
  }
}

function judged(notice: Notice, result: StandardResult<unknown>): Notice {
  if (result.issues) return refused(notice, result.issues.map(issueOf));
  return { ...notice, response: result.value };
}

/** A schema that throws has not accepted the answer. */
function broken(notice: Notice, cause: unknown): Notice {
  return refused(notice, [{ message: messageOf(cause), path: [] }], cause);
}

/** The notice keeps everything else that is known of the answer, including the response as it came. */
function refused(notice: Notice, issues: readonly SchemaIssue[], cause?: unknown): Notice {
  const message = `The answer of '${notice.action}' is not what its schema says: ${summary(issues)}`;
  const error = new RestError({ code: 'schema', message, issues }, cause);
  return { ...notice, type: 'error', phase: 'error', error };
}

/** No `instanceof`: a schema of another realm, or with its own promises, returns other promises. */
function isPromise(
  result: StandardResult<unknown> | Promise<StandardResult<unknown>>,
): result is Promise<StandardResult<unknown>> {
  return 'then' in result;
}

/**
 * Tells the ends of an action's invocations in the order in which they came, even if a schema takes longer over one
 * than over the next, but none later than after its own `timeout`. Without a wait they are told at once.
 */
export class InTurn {
  readonly #last = new Map<string, Promise<Notice>>();

  tell({ action, timeout }: Turn, notice: Notice | Promise<Notice>, hear: (notice: Notice) => void): void {
    const before = this.#last.get(action);
    if (!before && !(notice instanceof Promise)) return hear(notice);
    const turn = after(before, notice, timeout);
    this.#last.set(action, turn);
    void this.#tellLater(action, turn, hear);
  }

  async #tellLater(action: string, turn: Promise<Notice>, hear: (notice: Notice) => void): Promise<void> {
    const notice = await turn;
    if (this.#last.get(action) === turn) this.#last.delete(action);
    hear(notice);
  }
}

/** The action, and the milliseconds that its call or request may take. */
interface Turn {
  readonly action: string;
  readonly timeout: number;
}

async function after(
  before: Promise<unknown> = Promise.resolve(),
  notice: Notice | Promise<Notice>,
  timeout: number,
): Promise<Notice> {
  await within(Math.min(timeout, LONGEST_TIMER), '', before).catch(() => {});
  return notice;
}
