import type { GivenId } from '../../shared/outbox.ts';
import type { OutboxEntry } from '../outbox/entry.ts';
import { asForm, isForm } from '../outbox/parts.ts';
import { isPlainObject } from '../resource/params.ts';

/** A write that the server's answers do not contain yet. It is the same in every tab and in every later life of the page. */
export interface OptimisticWrite {
  readonly action: string;
  /** Its parameters as text, by name. */
  readonly params: Readonly<Record<string, unknown>>;
  /** JSON as a value, a form as an object of its fields, other text as text, all else as a Blob; null for none. */
  readonly data: unknown;
  /** Stands for the id of what it creates, and is that id once its server has given it. Null where it creates nothing. */
  readonly temporaryId: GivenId | null;
  /** Where in the answer that id stands, as its action says; left out where it says nothing. */
  readonly creates?: string;
  /** Null for a call that is not queued, and until it is stored. */
  readonly entry: OutboxEntry | null;
}

/**
 * Makes the model as it will be once the write is done; `asked` are the parameters that the model was asked for with, as text by name.
 * It must be pure and leave the model that it gets as it is: it is called for each new answer, in every tab.
 */
export type Optimism = {
  // A method, so that a function may say which model it takes.
  apply(model: unknown, write: OptimisticWrite, asked: Readonly<Record<string, unknown>>): unknown;
}['apply'];

/** One function of an action, and what it applies it to. */
export interface OptimisticStep {
  readonly apply: Optimism;
  readonly write: OptimisticWrite;
}

/** The rows that were made before, which the next making uses again. */
export interface Made {
  rows: readonly unknown[];
}

/** How functions are applied together that have the same `apply` here. */
export interface Together {
  /** Does the same as the steps one after the other, in less time. */
  readonly apply: (model: unknown, steps: readonly OptimisticStep[], made: Made) => unknown;
  /** True where a model that contains the write already stays as it is. */
  readonly isHarmless: (write: OptimisticWrite) => boolean;
}

const TOGETHER = Symbol('together');

/** Says that functions for which this is said can be applied together. */
export function together<Apply extends Optimism>(apply: Apply, all: Together): Apply {
  return Object.assign(apply, { [TOGETHER]: all });
}

/** What does the same as several of these; undefined where each has to be applied by itself. */
export function togetherOf(apply: Optimism): Together | undefined {
  const all: unknown = Reflect.get(apply, TOGETHER);
  return isTogether(all) ? all : undefined;
}

/** Only `together` sets it. */
function isTogether(all: unknown): all is Together {
  return all !== undefined;
}

/** The ids that servers have given by now; undefined for one that has none. */
export type Names = (temporaryId: string) => GivenId | undefined;

/** The write with the ids that have been given meanwhile; the same object where there are none. */
export function named(write: OptimisticWrite, nameOf: Names): OptimisticWrite {
  const inText: Names = (temporaryId) => {
    const given = nameOf(temporaryId);
    return given === undefined ? given : String(given);
  };
  const { params, data, temporaryId } = write;
  const next = {
    params: renamed(params, inText, noName),
    data: isForm(data) ? asForm(renamed(data, inText, noName)) : renamed(data, nameOf, nameOf),
    temporaryId: typeof temporaryId === 'string' ? (nameOf(temporaryId) ?? temporaryId) : temporaryId,
  };
  const isSame = next.params === params && next.data === data && next.temporaryId === temporaryId;
  return isSame ? write : { ...write, ...next };
}

/** In URLs and forms, temporary ids are no names. */
const noName: Names = () => undefined;

/** The same value where nothing in it has a name: neither a text, nor a member by `ofMember`. */
function renamed<Value>(value: Value, nameOf: Names, ofMember: Names): Value;
function renamed(value: unknown, nameOf: Names, ofMember: Names): unknown {
  if (typeof value === 'string') return nameOf(value) ?? value;
  if (Array.isArray(value)) {
    const all = value.map((each) => renamed(each, nameOf, ofMember));
    return all.every((each, index) => each === value[index]) ? value : all;
  }
  if (!isPlainObject(value)) return value;
  const names = Object.keys(value);
  const members = names.map((name): [string, unknown] => [
    String(ofMember(name) ?? name),
    renamed(value[name], nameOf, ofMember),
  ]);
  const isSame = members.every(([name, each], index) => name === names[index] && each === value[name]);
  return isSame ? value : Object.fromEntries(members);
}
