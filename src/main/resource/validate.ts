import type { SchemaIssue } from '../../shared/failure.ts';
import { LONGEST_TIMER } from '../../shared/limits.ts';
import { messageOf } from '../../shared/failure.ts';
import { issueOf, summary } from '../../shared/schema-issues.ts';
import type { StandardResult, StandardSchemaV1 } from '../../shared/standard-schema.ts';
import { RestError } from '../error.ts';
import { within } from '../deadline.ts';
import type { Notice } from './notice.ts';

/**
 * Holds the answer of a success against its action's schema: the notice with what the schema made of it, or an error
 * with what it found wrong. A promise only where the schema gives one, and for `timeout` milliseconds at most.
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

/** A schema that throws has not let the answer pass. */
function broken(notice: Notice, cause: unknown): Notice {
  return refused(notice, [{ message: messageOf(cause), path: [] }], cause);
}

/** Everything else that is known of the answer stays, the response as it came too. */
function refused(notice: Notice, issues: readonly SchemaIssue[], cause?: unknown): Notice {
  const message = `The answer of '${notice.action}' is not what its schema says: ${summary(issues)}`;
  const error = new RestError({ code: 'schema', message, issues }, cause);
  return { ...notice, type: 'error', phase: 'error', error };
}

/** A schema of another realm, or with promises of its own, gives what is no instance of this Promise. */
function isPromise(
  result: StandardResult<unknown> | Promise<StandardResult<unknown>>,
): result is Promise<StandardResult<unknown>> {
  return 'then' in result;
}

/**
 * Has the ends of an action's invocations told in the order in which they came, though a schema may take longer over
 * one than over the next. Where none is waited for they are told at once.
 */
export class InTurn {
  /** The turn of what came last, by action. */
  readonly #last = new Map<string, Promise<Notice>>();

  tell(action: string, notice: Notice | Promise<Notice>, hear: (notice: Notice) => void): void {
    const before = this.#last.get(action);
    if (!before && !(notice instanceof Promise)) return hear(notice);
    const turn = after(before, notice);
    this.#last.set(action, turn);
    void this.#tellLater(action, turn, hear);
  }

  async #tellLater(action: string, turn: Promise<Notice>, hear: (notice: Notice) => void): Promise<void> {
    const notice = await turn;
    if (this.#last.get(action) === turn) this.#last.delete(action);
    hear(notice);
  }
}

async function after(before: Promise<Notice> | undefined, notice: Notice | Promise<Notice>): Promise<Notice> {
  await before;
  return notice;
}
