import type { Content, Exchange } from './origin.ts';
import type { PolicyName } from './plan.ts';

/** Milliseconds by which instants may differ that the page, the worker and the server each know as one. */
const SLACK = 100;

/** Milliseconds after which an answer that was told is stored. */
const STORED = 2_000;

/** Milliseconds about the end of a write within which it is stored what that has outdated, or removed. */
const OUTDATED = 20;

/** Milliseconds by which a server's `Date`, in whole seconds, and the way of an answer make it older than it is. */
const COARSE = 1_500;

/** Milliseconds after an answer in which another one with the same bytes is not noted: it would say little more. */
const UNNOTED = 10_000;

/** From its beginning to its end; the end is infinite where nobody knows if it took effect. */
export interface Span {
  readonly begun: number;
  readonly ended: number;
}

/** A write of a page. */
export interface Written extends Span {
  readonly name: string;
  /** The version that it made; null where it is not known to have been done. */
  readonly version: number | null;
  readonly isDelete: boolean;
}

/** A call that was told something. */
export interface Told {
  readonly name: string;
  readonly language: string;
  readonly policy: PolicyName;
  readonly madeAt: number;
  readonly toldAt: number;
  readonly servedFrom: 'network' | 'cache' | null;
  readonly stale: boolean;
  readonly isPreliminary: boolean;
  readonly content: Content;
}

/** All that has happened, as far as the rules go by it. */
export interface Record {
  readonly exchanges: readonly Exchange[];
  readonly writes: readonly Written[];
  /** Each change of who is signed in. */
  readonly changes: readonly Span[];
  readonly clearings: readonly Span[];
  /** When runs of the worker ended. */
  readonly kills: readonly number[];
}

/** What is wrong with what a call was told; null for nothing. */
export function faultOf(told: Told, record: Record): string | null {
  const sources = record.exchanges.filter((exchange) => isOf(exchange, told.content));
  const ofSameEra = sources.filter((source) => !isBetween(record.changes, source.askedAt, told.toldAt));
  if (ofSameEra.length === 0) return sources.length === 0 ? 'was never sent' : 'is of an earlier identity';
  return (
    languageFault(told, ofSameEra) ??
    originFault(told, ofSameEra, record) ??
    writeFault(told, record) ??
    missFault(told, record)
  );
}

/** An answer in another language is one that does not vary by it. */
function languageFault({ content, language }: Told, sources: readonly Exchange[]): string | null {
  if (content.language === language) return null;
  return sources.some(({ saying }) => saying.vary === null) ? null : 'is in another language';
}

function originFault(told: Told, sources: readonly Exchange[], record: Record): string | null {
  if (told.servedFrom === 'network') {
    const isNew = sources.some(({ answeredAt }) => answeredAt !== null && answeredAt >= told.madeAt - SLACK);
    return isNew ? null : 'is said to come from the network, which has not sent it';
  }
  const faults = sources.map((source) => storedFault(told, source, record));
  return faults.includes(null) ? null : (faults.at(-1) ?? null);
}

/** Why this answer must not be served from the cache; null where it may be. */
function storedFault(told: Told, source: Exchange, record: Record): string | null {
  const { answeredAt } = source;
  const saying = sayingOf(source, record);
  if (answeredAt === null) return 'was never received';
  if (saying.forbids === 'no-store' || saying.vary === '*' || source.action === 'once')
    return 'was never to be stored';
  if (told.policy === 'network-only' || told.policy === 'reload' || told.policy === 'network-first') {
    if (!told.stale) return 'was to be asked for';
  }
  if (isBetween(record.clearings, answeredAt, told.madeAt)) return 'was cleared';
  if (isRemoved(told, source, record)) return 'was removed';
  const age = told.toldAt - answeredAt;
  if (told.policy === 'cache-first' || told.policy === 'cache-only') return null;
  if (told.stale) return staleFault(told, saying, age, record);
  if (saying.forbids === 'no-cache') return 'was to be confirmed each time';
  if (age > (saying.maxAge ?? 0) * 1_000 + SLACK) return 'is not fresh';
  const isOutdated = record.writes.some(
    (write) =>
      write.name === told.name &&
      write.version !== null &&
      write.begun > answeredAt &&
      write.ended < told.madeAt &&
      isKept(write, record),
  );
  return isOutdated ? 'is older than a write' : null;
}

/** What holds of an answer: a 304 without Cache-Control leaves what was said before (RFC 9111 section 3.2). */
function sayingOf(source: Exchange, record: Record): Exchange['saying'] {
  const { saying, status } = source;
  const isSilent =
    saying.maxAge === null &&
    saying.forbids === 'nothing' &&
    saying.staleIfError === null &&
    saying.staleWhileRevalidate === null;
  const before = status === 304 && isSilent ? lastBefore(source, record) : undefined;
  return before ? { ...sayingOf(before, record), vary: saying.vary } : saying;
}

/** The answer with the same content before this one. */
function lastBefore({ askedAt, ...source }: Exchange, { exchanges }: Record): Exchange | undefined {
  return exchanges.findLast((each) => each.askedAt < askedAt && isOf(each, source));
}

/** Stale answers are told before the server's, or in the place of a failure. */
function staleFault(told: Told, saying: Exchange['saying'], age: number, record: Record): string | null {
  const { maxAge, forbids, staleWhileRevalidate, staleIfError } = saying;
  const lifetime = (maxAge ?? 0) * 1_000;
  const isBinding = forbids === 'no-cache' || forbids === 'must-revalidate';
  if (told.isPreliminary) {
    const allowed = lifetime + (staleWhileRevalidate ?? 0) * 1_000 + SLACK;
    if (isBinding) return 'is to be confirmed before it is told';
    return age > allowed ? 'is too old to be told first' : null;
  }
  // A call may ask though the answer is fresh: while a write to it is under way.
  const isFresh = forbids !== 'no-cache' && age <= lifetime;
  if (told.policy === 'strict' && isBinding && !isFresh) return 'must not stand for a failure';
  const failures = record.exchanges.filter(
    ({ method, name, askedAt, answeredAt, status }) =>
      method === 'GET' &&
      name === told.name &&
      askedAt <= told.toldAt &&
      (status === 503 || answeredAt === null) &&
      (answeredAt === null || answeredAt >= told.madeAt - SLACK),
  );
  if (failures.length === 0) return 'is stale, though nothing failed';
  const isRefused = failures.length > 0 && failures.every(({ status }) => status === 503);
  if (isRefused && age > lifetime + ((staleIfError ?? staleWhileRevalidate ?? 0) + 1) * 1_000 + SLACK)
    return 'is too old to stand for a failure of the server';
  return null;
}

/** After a refusal of what was asked in its language, later, or a DELETE, nothing of before is served. */
function isRemoved(told: Told, { askedAt, answeredAt, language }: Exchange, record: Record): boolean {
  const isAfter = (instant: number | null): boolean =>
    instant !== null && instant > (answeredAt ?? 0) && instant < told.madeAt;
  const hasVaried = variesBefore(told, record);
  const isRefused = record.exchanges.some(
    (exchange) =>
      exchange.name === told.name &&
      exchange.status === 404 &&
      exchange.askedAt > askedAt &&
      (!hasVaried || exchange.language === language) &&
      isAfter(exchange.answeredAt) &&
      // The worker may have ended before that was stored.
      !isHit(record.kills, exchange.answeredAt ?? 0, (exchange.answeredAt ?? 0) + STORED),
  );
  const isDeleted = record.writes.some(
    (write) =>
      write.name === told.name &&
      write.isDelete &&
      write.version !== null &&
      write.begun > (answeredAt ?? 0) &&
      write.ended < told.madeAt &&
      isKept(write, record),
  );
  return isRefused || isDeleted;
}

/** What a page reads shows what was written before. */
function writeFault(told: Told, record: Record): string | null {
  if (told.stale || told.policy === 'cache-first' || told.policy === 'cache-only') return null;
  const before = record.writes.filter(
    (write) =>
      write.name === told.name &&
      write.ended < told.madeAt &&
      (told.servedFrom === 'network' || isKept(write, record)),
  );
  const least = Math.max(0, ...before.map(({ version }) => version ?? 0));
  return told.content.version < least ? `is older than version ${least}, which was written before` : null;
}

/** What is surely stored and fresh is served without a request. */
function missFault(told: Told, record: Record): string | null {
  if (told.policy !== 'default' && told.policy !== 'strict') return null;
  if (told.servedFrom === 'cache' && !told.stale) return null;
  const reads = record.exchanges.filter(({ method, name }) => method === 'GET' && name === told.name);
  const before = reads.filter(({ askedAt }) => askedAt < told.madeAt);
  const last = before.at(-1);
  if (!last || before.some(({ answeredAt, askedAt }) => !isSettled(answeredAt, askedAt, last))) return null;
  // What was told meanwhile and is not stored may be newer than what is.
  const untilTold = reads.filter(({ askedAt }) => askedAt <= told.toldAt);
  if (untilTold.some((each) => each.action === 'once' && (each.answeredAt ?? Infinity) >= last.askedAt))
    return null;
  // The tick of a loop may have brought another answer before this call was looked at.
  if (untilTold.some(({ action, askedAt }) => action === 'tick' && askedAt >= told.madeAt)) return null;
  if (variesBefore(told, record) && last.language !== told.language) return null;
  return isSurelyFresh(told, last, record) ? 'was asked for, though what is stored is fresh' : null;
}

/** Once answers have varied, each language has its own, also where a later answer does not vary. */
function variesBefore({ name, toldAt }: Told, { exchanges }: Record): boolean {
  return exchanges.some(
    (each) =>
      each.method === 'GET' && each.name === name && each.askedAt < toldAt && each.saying.vary !== null,
  );
}

function isSettled(answeredAt: number | null, askedAt: number, last: Exchange): boolean {
  return answeredAt === null ? askedAt + 60_000 < last.askedAt : answeredAt <= (last.answeredAt ?? 0);
}

function isSurelyFresh(told: Told, last: Exchange, record: Record): boolean {
  const { saying, answeredAt, askedAt, status, action } = last;
  if (answeredAt === null || (status !== 200 && status !== 304) || action === 'once') return false;
  if (saying.forbids === 'no-store' || saying.forbids === 'no-cache' || saying.vary === '*') return false;
  if (saying.vary !== null && last.language !== told.language) return false;
  // The key of what is stored is not that of an answer which varies so: the next request brings another.
  if (status === 304 && saying.vary !== null && lastBefore(last, record)?.saying.vary !== saying.vary)
    return false;
  if (told.madeAt - askedAt > (saying.maxAge ?? 0) * 1_000 - COARSE - UNNOTED) return false;
  const isUnsettled = answeredAt + STORED > told.madeAt || isHit(record.kills, askedAt, answeredAt + STORED);
  if (isUnsettled) return false;
  const touches = [
    ...record.changes,
    ...record.clearings,
    ...record.writes.filter(({ name }) => name === told.name),
  ];
  return !touches.some(({ ended }) => ended >= askedAt - SLACK);
}

/** False if the worker may have ended before it was stored that answers from before this write are outdated, or removed. */
function isKept({ ended }: Written, { kills }: Record): boolean {
  return !isHit(kills, ended - OUTDATED, ended + OUTDATED);
}

function isHit(instants: readonly number[], from: number, to: number): boolean {
  return instants.some((instant) => instant >= from && instant <= to);
}

function isOf({ method, name, status, version, language, user }: Exchange, content: Content): boolean {
  return (
    method === 'GET' &&
    (status === 200 || status === 304) &&
    name === content.name &&
    version === content.version &&
    language === content.language &&
    user === content.user
  );
}

/** True where one of these began after the first instant, and was over well before the second. */
function isBetween(spans: readonly Span[], from: number, to: number): boolean {
  return spans.some(({ begun, ended }) => begun > from && ended + SLACK < to);
}
