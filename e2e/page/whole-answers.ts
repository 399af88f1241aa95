import { Resource } from 'offstage';

/** What this page has heard of a server that cuts bodies. */
export interface Heard {
  /** The newest numbers of each loop and feed. */
  readonly newest: readonly number[];
  /** The numbers that each feed told. */
  readonly fed: readonly (readonly number[])[];
  readonly whole: number;
  /** The answers that were told and are not whole. */
  readonly partial: readonly string[];
}

const newest: Record<string, number> = { list: 0, lines: 0, feed: 0, log: 0 };
const fed: Record<string, number[]> = { feed: [], log: [] };
const partial: string[] = [];
let whole = 0;
let source: Resource | null = null;

/** Milliseconds after which a call hangs. */
const LATE = 7_000;

/** Follows two loops and two feeds, and looks at every answer that is told. */
export function follow(): void {
  source = new Resource();
  source.map('list', 'GET', '/list');
  source.map('lines', 'GET', '/lines');
  source.map('feed', 'GET', '/feed');
  source.map('log', 'GET', '/log');
  source.map('stored', 'GET', '/stored', {}, { timeout: 5_000 });
  source.map('fresh', 'GET', '/new{?key}', {}, { timeout: 5_000 });
  source.addListener('success', ({ action, response }) => note(action, response));
  source.poll('list', {}, { interval: 300 });
  source.poll('lines', {}, { interval: 300 });
  const to = { query: 'since' };
  source.longPoll('feed', {}, { cursor: { from: { body: '/n' }, to, initial: '0' } });
  source.longPoll('log', {}, { cursor: { from: { header: 'X-Last' }, to, initial: '0' } });
}

/** Calls a URL that is stored and one that is not; resolves to how many of the calls hang. */
export async function callBoth(): Promise<number> {
  if (source === null) return 0;
  const ids = [source.invoke('stored'), source.invoke('fresh', { key: crypto.randomUUID() })];
  const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), LATE));
  const ends = ids.map((id) => Promise.race([source?.result(id).catch(() => {}), late]));
  return (await Promise.all(ends)).filter((end) => end === 'late').length;
}

export function heard(): Heard {
  return { newest: Object.values(newest), fed: Object.values(fed), whole, partial };
}

function note(action: string, response: unknown): void {
  const n = numberIn(response);
  if (n === null) {
    partial.push(`${action} ${JSON.stringify(response).slice(0, 80)}`);
    return;
  }
  whole += 1;
  if (action in newest) newest[action] = n;
  fed[action]?.push(n);
}

/** The number of an answer; null if it is not whole. */
function numberIn(body: unknown): number | null {
  if (typeof body === 'string') {
    const [, n, count, text = ''] = /^(\d+) (\d+) (.*)$/s.exec(body) ?? [];
    return count !== undefined && text.length === Number(count) ? Number(n) : null;
  }
  const { n, count, rows } = Object(body);
  return Array.isArray(rows) && rows.length === count ? n : null;
}
