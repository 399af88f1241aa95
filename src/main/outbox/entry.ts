import type { Failure } from '../../shared/failure.ts';
import { essenceOf, headerValue, isJsonType } from '../../shared/header.ts';
import type { Params, RequestBody } from '../../shared/invocation.ts';
import type { WriteReport, WriteState } from '../../shared/outbox.ts';
import { answeredNow } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { freeze } from '../development.ts';
import { asForm, formOf } from './parts.ts';

/** A write that waits for its server, as it was when this was made. */
export interface OutboxEntry {
  /** Names the write, in every tab and every later life of the page. */
  readonly id: string;
  /** The name of its resource; of one without a name, its base and the names of its actions. */
  readonly resource: string;
  readonly action: string;
  /** Its parameters as text, by name. */
  readonly params: Readonly<Record<string, unknown>>;
  /**
   * JSON as a value, a form as an object of its fields, other text as text, all else as a Blob. Null for none, and in events for more
   * than 64 KiB.
   */
  readonly data: unknown;
  /**
   * `queued`: it waits for its turn, or for the next attempt. `sending`: an attempt is under way. `paused`: its server wants
   * other credentials. `conflict`: its server has another version. `review`: its server has refused it. `done`: performed.
   * `discarded`: somebody has discarded it.
   */
  readonly state: WriteState;
  /** How often it was sent, or may have been. */
  readonly attempts: number;
  /** Why the last attempt did not succeed; null before that. */
  readonly failure: Failure | null;
  /** Milliseconds of the epoch. */
  readonly queuedAt: number;
  readonly lane: string;
  /** The `Idempotency-Key` of its attempts. */
  readonly key: string;
  /**
   * Stands for the id of what it creates: params and data of later queued calls may name it, for thirty days at least after its
   * server has named it. Null where its action has no `creates`.
   */
  readonly temporaryId: string | null;
}

/** The result of a call that is queued: its answer comes as an event. */
export interface Queued {
  readonly kind: 'queued';
  readonly entry: OutboxEntry;
}

const VERSIONS = new WeakMap<OutboxEntry, number>();

/** The version (`WriteReport`) that the write had when its entry was made; none for an entry that an app has made itself. */
export function versionIn(entry: OutboxEntry): { readonly version?: number } {
  const version = VERSIONS.get(entry);
  return version === undefined ? {} : { version };
}

export function entryOf(write: WriteReport): OutboxEntry {
  const { entry: id, resource, action, state, attempts, failure, queuedAt, lane, key, temporaryId } = write;
  const entry = {
    id,
    resource,
    action,
    ...contentOf(write),
    state,
    attempts,
    failure,
    queuedAt,
    lane,
    key,
    temporaryId,
  };
  freeze(entry);
  VERSIONS.set(entry, write.version);
  return entry;
}

/** What a write sends, as apps see it. */
export function contentOf({
  params,
  headers,
  body,
}: Pick<WriteReport, 'params' | 'headers' | 'body'>): Pick<OutboxEntry, 'params' | 'data'> {
  return {
    params: paramsOf(params),
    data: body && dataOf(body, headerValue(headers, 'content-type')),
  };
}

/** Parameters as text, by name. */
export function paramsOf(params: Params): Readonly<Record<string, unknown>> {
  return Object.fromEntries(params.map(([name, value]) => [name, plain(value)]));
}

function plain(value: WriteReport['params'][number][1]): unknown {
  return typeof value === 'object' && 'pairs' in value ? Object.fromEntries(value.pairs) : value;
}

function dataOf(body: RequestBody, contentType: string | null): unknown {
  switch (body.kind) {
    case 'none':
      return null;
    case 'bytes':
      return formOf(body.bytes, contentType) ?? readIn(body.bytes, contentType);
    default:
      if (isJsonType(contentType)) return parsed(body.text);
      return essenceOf(contentType) === FORM ? fieldsOf(body.text) : body.text;
  }
}

/** JSON and a form say the same as bytes and as a text. */
function readIn(bytes: ArrayBuffer, contentType: string | null): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (isJsonType(contentType)) return JSON.parse(text);
    if (essenceOf(contentType) === FORM) return fieldsOf(text);
  } catch {
    // It is not what it says.
  }
  return new Blob([bytes], { type: contentType ?? '' });
}

const FORM = 'application/x-www-form-urlencoded';

/** The fields of a form by their names; a list where a name repeats. */
function fieldsOf(form: string): Record<string, unknown> {
  const fields = new URLSearchParams(form);
  const names = [...new Set(fields.keys())];
  const all = names.map((name) => {
    const values = fields.getAll(name);
    return [name, values.length > 1 ? values : values[0]] as const;
  });
  return asForm(Object.fromEntries(all));
}

/** A string is sent as it is, whatever it says of itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What the server said of it: the parsed body, a Blob for bytes; null for none. */
export function responseOf({ answer }: WriteReport): unknown {
  if (!answer) return null;
  const { body } = answer;
  return body.kind === 'bytes' ? new Blob([body.bytes], { type: body.type }) : body.value;
}

/** The end of the call that has queued it. */
export function outcomeOf(
  { method, template }: { readonly method: string; readonly template: string },
  write: WriteReport,
): Outcome {
  const { failure, answer } = write;
  const request = { method, url: write.url ?? template, headers: [] };
  if (failure) return { kind: 'failed', failure, answer, request };
  return answeredNow(answer ?? { status: 0, headers: [], body: { kind: 'value', value: null } }, request);
}
