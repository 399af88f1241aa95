import type { Invocation, Params, ParamValue, RequestBody } from '../../shared/invocation.ts';
import { TEMPORARY_MARK } from '../../shared/outbox.ts';
import { hasMark, renamedBody } from './named-body.ts';
import { isTemporaryId, TEMPORARY_ID } from './temporary-id.ts';
import type { Names } from './temporary-id.ts';

// Where an invocation and its lane name things by temporary ids.

/** True where it may name one: most calls name none, and are not looked into. */
export function mayName({ params, body }: Invocation): boolean {
  return hasMark(body) || params.some(([, value]) => JSON.stringify(value).includes(TEMPORARY_MARK));
}

/** The temporary ids that it names in its params and this body, each once. */
export function temporaryIdsIn(invocation: Invocation, body: RequestBody): string[] {
  const found = new Set<string>();
  const note = (temporaryId: string): undefined => {
    found.add(temporaryId);
  };
  renamedParams(invocation.params, note);
  renamedBody(invocation, body, note);
  return [...found];
}

/** The same with the ids that servers have given; the same object where it names none of them. */
export function renamedInvocation(invocation: Invocation, names: Names): Invocation {
  const params = renamedParams(invocation.params, names);
  const body = renamedBody(invocation, invocation.body, names);
  const isSame = params === invocation.params && body === invocation.body;
  return isSame ? invocation : { ...invocation, params, body };
}

const IN_LANE = new RegExp(TEMPORARY_ID, 'g');
const NONE: readonly string[] = [];

/** The temporary ids that a lane is named by, wherever they stand in it. */
export function temporaryIdsInLane(lane: string): readonly string[] {
  return lane.includes(TEMPORARY_MARK) ? (lane.match(IN_LANE) ?? NONE) : NONE;
}

/** The lane, named by the ids that servers have given. */
export function renamedLane(lane: string, names: Names): string {
  if (!lane.includes(TEMPORARY_MARK)) return lane;
  return lane.replace(IN_LANE, (temporaryId) => String(names(temporaryId) ?? temporaryId));
}

/** The same params where none of them has a name. */
function renamedParams(params: Params, names: Names): Params {
  const given = params.map(([name, value]) => [name, renamedValue(value, names)] as const);
  return given.some(([, value], index) => value !== params[index]?.[1]) ? given : params;
}

function renamedValue(value: ParamValue, names: Names): ParamValue {
  const named = (text: string): string => (isTemporaryId(text) ? String(names(text) ?? text) : text);
  if (typeof value === 'string') return named(value);
  if ('pairs' in value) {
    const pairs = value.pairs.map(([key, text]) => [key, named(text)] as const);
    return pairs.every(([, text], index) => text === value.pairs[index]?.[1]) ? value : { pairs };
  }
  const all = value.map(named);
  return all.every((text, index) => text === value[index]) ? value : all;
}
