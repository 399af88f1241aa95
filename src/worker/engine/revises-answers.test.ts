import { describe, expect, test } from 'vitest';
import type { Revision } from '../../shared/outcome.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { EngineStage } from './engine.fixture.ts';
import { parsed, textOf } from '../contracts/read-body.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';

/** Far more than is worth comparing at all. */
const ROWS = 200;

function rows(changed = ''): unknown[] {
  return Array.from({ length: ROWS }, (_, id) => ({
    id,
    title: `Photo ${id}`,
    note: id === 7 ? changed : '',
  }));
}

/** More than is digested at once. */
function veryLong(note: string): unknown[] {
  return Array.from({ length: 3_000 }, (_, id) => ({ id, pad: 'x'.repeat(800), note: id === 7 ? note : '' }));
}

/** What an answer comes to: how it was made, and the body. */
function gist(outcome: ReadOutcome): unknown {
  if (outcome.kind === 'failed') return outcome.failure.code;
  const { body } = outcome.answer;
  if (body.kind !== 'json') return body.kind;
  const { patchFrom } = body;
  return patchFrom === null
    ? 'whole'
    : [patchFrom.from.number, patchFrom.patch?.change?.kind === 'list' ? patchFrom.patch.change.rows : null];
}

function valueOf(outcome: ReadOutcome): unknown {
  const { answer } = parsed(outcome);
  return answer?.body.kind === 'value' ? answer.body.value : null;
}

/** Answers one after the other. */
function serving(...values: readonly unknown[]): Serve {
  let nth = 0;
  return () => json(values[Math.min(nth++, values.length - 1)]);
}

describe('an answer that is to be revised', () => {
  test('is whole the first time, then what has changed', async () => {
    const stage = new EngineStage(serving(rows(), rows('new'), rows('newer')));
    expect(gist(await stage.revise())).toBe('whole');
    expect(gist(await stage.revise())).toEqual([1, '[{"id":7,"title":"Photo 7","note":"new"}]']);
    const last = await stage.revise();
    expect(gist(last)).toEqual([2, '[{"id":7,"title":"Photo 7","note":"newer"}]']);
    expect(last).toMatchObject({ changed: true, revision: { number: 3 } });
    expect(valueOf(last)).toEqual(rows('newer'));
  });

  test('has not changed where it has not, whether the server says so or sends it again', async () => {
    const again = new EngineStage(() => json(rows()));
    await again.revise();
    const same = await again.revise();
    expect(gist(same)).toEqual([1, null]);
    expect(same).toMatchObject({ changed: false, revision: { number: 1 } });
    const confirming = new EngineStage(({ headers }) =>
      headers.has('if-none-match') ? new Response(null, { status: 304 }) : json(rows(), { ETag: '"1"' }),
    );
    await confirming.revise();
    const confirmed = await confirming.revise();
    expect(gist(confirmed)).toEqual([1, null]);
    expect(valueOf(confirmed)).toEqual(rows());
  });

  test('is compared with what is stored, in another life of the worker', async () => {
    const stage = new EngineStage(serving(rows(), rows('new')));
    await stage.revise();
    const next = stage.reborn();
    expect(gist(await next.revise())).toEqual([1, '[{"id":7,"title":"Photo 7","note":"new"}]']);
  });

  test('is stored as it came, whatever is stored of it', async () => {
    const stage = new EngineStage(serving(rows(), rows('new'), rows('newer')));
    for (let nth = 0; nth < 3; nth += 1) await stage.revise();
    const newest = await stage.reborn().newest();
    expect(newest?.answer.body.kind === 'json' && textOf(newest.answer.body)).toBe(
      JSON.stringify(rows('newer')),
    );
  });

  test('is known again though it is long, and was put together', async () => {
    const stage = new EngineStage(serving(veryLong(''), veryLong('new')));
    await stage.revise();
    expect(await stage.revise()).toMatchObject({ revision: { number: 2 } });
    const newest = await stage.reborn().newest();
    expect(newest && valueOf(newest)).toEqual(veryLong('new'));
  });

  test('takes little more room with each change', async () => {
    const stage = new EngineStage(serving(rows(), rows('new'), rows('newer')));
    await stage.revise();
    const bytes = async (): Promise<number> => (await stage.responses.inspect()).bytes ?? NaN;
    const before = await bytes();
    await stage.revise();
    await stage.revise();
    const grown = (await bytes()) - before;
    // A change takes more than the few characters by which the answer grows.
    expect(grown).toBeGreaterThan(100);
    expect(grown).toBeLessThan(1_000);
  });

  test('is read as ever where there is little of it, or no JSON', async () => {
    const little = new EngineStage(() => json([1]));
    expect(gist(await little.revise())).toBe('value');
    const text = new EngineStage(() => new Response('text '.repeat(1_000)));
    expect(gist(await text.revise())).toBe('value');
    const refusing = new EngineStage(() => json(rows(), {}, 500));
    expect(await refusing.revise()).toMatchObject({ failure: { code: 'http', body: rows() } });
  });

  test('is whole where its rows cannot be told apart', async () => {
    const text = 'text '.repeat(1_000);
    const stage = new EngineStage(serving(text, `${text}.`));
    expect(gist(await stage.revise())).toBe('whole');
    const second = await stage.revise();
    expect(gist(second)).toBe('whole');
    expect(valueOf(second)).toBe(`${text}.`);
  });
});

describe('an answer that says that it is JSON, and is not', () => {
  const broken = (text: string): Serve => {
    let nth = 0;
    return () =>
      nth++ === 1 ? new Response(text, { headers: { 'Content-Type': 'application/json' } }) : json(rows());
  };
  const whole = JSON.stringify(rows());

  test.each([
    ['in a row that is new', whole.replace('"Photo 7"', '"Photo 7')],
    ['between two rows', whole.replace('},{', '}{')],
    ['at its end', whole.slice(0, -1)],
    ['after its end', `${whole},`],
  ])('%s, is a failure, and leaves what is stored', async (_where, text) => {
    const stage = new EngineStage(broken(text));
    await stage.revise();
    expect(await stage.revise()).toMatchObject({ kind: 'failed', failure: { code: 'parse' } });
    expect(gist(await stage.revise())).toEqual([1, null]);
  });

  test('the first time, is a failure too', async () => {
    const stage = new EngineStage(
      () => new Response(whole.slice(0, -1), { headers: { 'Content-Type': 'application/json' } }),
    );
    expect(await stage.revise()).toMatchObject({ kind: 'failed', failure: { code: 'parse' } });
    expect(await stage.entries).toBe(0);
  });
});

test('an answer to a call is checked, and sent as text where it is large', async () => {
  const stage = new EngineStage(() => json(Array.from({ length: 20 }, rows)));
  expect(gist(await stage.call())).toBe('whole');
  stage.system.serve = () => json(rows());
  expect(gist(await stage.call())).toBe('value');
});

/** The rows of a body that is cut into chunks, else what it is. */
function rowsOf(outcome: ReadOutcome): unknown {
  const body = outcome.kind === 'answered' ? outcome.answer.body : null;
  const chunks = body?.kind === 'json' ? body.chunks : null;
  if (chunks === null) return body?.kind;
  return Array.from({ length: chunks.count }, (_, index) => JSON.parse(chunks.text(index))).flat();
}

describe('a long list', () => {
  const long = Array.from({ length: 3_000 }, (_, id) => ({ id, text: 'x'.repeat(200) }));
  const confirming: Serve = ({ headers }) =>
    headers.has('if-none-match') ? new Response(null, { status: 304 }) : json(long, { ETag: '"1"' });

  test('is cut where its rows end, for whoever follows it and for a call', async () => {
    const stage = new EngineStage(() => json(long));
    expect(rowsOf(await stage.call())).toEqual(long);
    expect(rowsOf(await stage.revise())).toEqual(long);
    expect(rowsOf(await stage.revise())).toEqual(long);
  });

  test('is cut as well where it is stored, in another life of the worker', async () => {
    const stage = new EngineStage(confirming);
    await stage.revise();
    const [one, other] = [stage.reborn(), stage.reborn()];
    for (let tick = 0; tick < 2; tick += 1) expect(rowsOf(await one.revise())).toEqual(long);
    expect(rowsOf(await other.call())).toEqual(long);
    const newest = await stage.reborn().newest();
    expect(newest && rowsOf(newest)).toEqual(long);
  });

  test('is read once by a life of the worker that is told that nothing has changed', async () => {
    const stage = new EngineStage(confirming);
    await stage.revise();
    const next = stage.reborn();
    await next.revise();
    let reads = 0;
    next.responses.body = async () => {
      reads += 1;
      return { kind: 'absent' };
    };
    await next.revise();
    expect(reads).toBe(0);
  });

  test('is not served where another has taken its place while it was cut', async () => {
    const stage = new EngineStage(confirming);
    await stage.revise();
    const next = stage.reborn();
    // First it learns which answers there are, with a pause after each slice: then only the cutting pauses.
    let slices = 0;
    Object.assign(next.system, { pause: async () => void (slices += 1) });
    const peek = () => next.cache.peek(invocation(), 'https://page.example/photo');
    await peek();
    await next.system.clock.advance(1_000);
    await peek();
    await until(() => slices === 2);
    let replaced = false;
    const pause = async (): Promise<void> => {
      if (replaced) return;
      replaced = true;
      next.system.serve = () => json(rows('new'));
      await stage.reborn().revise();
    };
    Object.assign(next.system, { pause });
    const before = next.system.clock.now.bind(next.system.clock);
    let now = 0;
    next.system.clock.now = () => before() + (now += 10);
    expect(valueOf(await next.call())).toEqual(rows('new'));
    expect(replaced).toBe(true);
  });

  test('that is none is told with its text, to a call as well', async () => {
    const stage = new EngineStage(
      () => new Response(`[${'"x",'.repeat(40_000)}]`, { headers: { 'Content-Type': 'application/json' } }),
    );
    expect(await stage.call()).toMatchObject({
      failure: { code: 'parse' },
      answer: { status: 200, body: { value: expect.stringContaining('"x",]') } },
    });
  });
});

/** A stage with one answer, and a request that is out until `end` is called. */
async function asking(end: () => Response): Promise<{
  readonly stage: EngineStage;
  readonly late: Promise<ReadOutcome>;
  readonly end: () => void;
}> {
  const stage = new EngineStage(() => json(rows(), { ETag: '"1"' }));
  await stage.revise();
  const ending = new AbortController();
  stage.system.serve = async () => {
    await new Promise((resolve) => ending.signal.addEventListener('abort', resolve));
    return end();
  };
  const late = stage.revise();
  await until(() => stage.system.requests.length === 2);
  stage.system.serve = () => json(rows('new'));
  return { stage, late, end: () => ending.abort() };
}

describe('what another answer has replaced while a request was out', () => {
  test('is not served where that request fails, but what it was replaced with', async () => {
    const { stage, late, end } = await asking(unreachable);
    const newer = revisionOf(await stage.reborn().revise());
    end();
    expect(await late).toMatchObject({ servedFrom: 'cache', stale: true, revision: newer });
    expect(valueOf(await late)).toEqual(rows('new'));
  });

  test('is not served as confirmed: the whole is asked for', async () => {
    const { stage, late, end } = await asking(() => new Response(null, { status: 304 }));
    const newer = revisionOf(await stage.reborn().revise());
    end();
    expect(await late).toMatchObject({ confirmed: false, revision: newer });
    expect(valueOf(await late)).toEqual(rows('new'));
  });

  test('is not served where it has been cleared away', async () => {
    const { stage, late, end } = await asking(unreachable);
    await stage.responses.clear();
    end();
    expect(await late).toMatchObject({ kind: 'failed', failure: { code: 'network' } });
  });
});

function revisionOf(outcome: ReadOutcome): Revision {
  if (outcome.kind === 'failed' || !outcome.revision) throw new Error('It is not stored');
  return outcome.revision;
}

describe('an answer of the same bytes', () => {
  const text = JSON.stringify(rows());
  const plain = (): Response => new Response(text, { headers: { 'Content-Type': 'text/plain' } });

  test('that was text before and is JSON now has changed, and is whole', async () => {
    const stage = new EngineStage(plain);
    await stage.revise();
    stage.system.serve = () => json(rows());
    const next = await stage.revise();
    expect(next).toMatchObject({ changed: true, revision: { number: 2 } });
    expect(gist(next)).toBe('whole');
  });

  test('that was JSON before and is text now has changed', async () => {
    const stage = new EngineStage(() => json(rows()));
    await stage.revise();
    stage.system.serve = plain;
    expect(await stage.revise()).toMatchObject({ changed: true, revision: { number: 2 } });
  });
});

test('an answer without content to a held request leaves what is stored', async () => {
  const stage = new EngineStage(() => json(rows()));
  await stage.revise();
  stage.system.serve = () => new Response(null, { status: 204 });
  const quiet = await stage.tick({ held: true });
  expect(quiet).toMatchObject({ answer: { status: 204 }, changed: false, revision: null });
  expect(await stage.newest()).toMatchObject({ answer: { status: 200 }, revision: { number: 1 } });
});

test('whoever gives up while an answer is compared is answered at once, and nothing is stored', async () => {
  const stage = new EngineStage(() => json(rows()));
  await stage.revise();
  stage.system.serve = () => json(rows('new'));
  const caller = new AbortController();
  let paused = 0;
  // Nothing of it goes on.
  Object.assign(stage.system, { pause: () => new Promise(() => void (paused += 1)) });
  Object.assign(stage.system.clock, { now: ticking(stage.system.clock.now()) });
  const asked = stage.tick({}, {}, caller.signal);
  await until(() => paused === 1);
  caller.abort();
  expect(await asked).toMatchObject({ kind: 'failed', failure: { code: 'aborted' } });
  expect(await stage.newest()).toMatchObject({ revision: { number: 1 } });
});

/** A clock by which every look at it takes longer than a slice. */
function ticking(start: number): () => number {
  let now = start;
  return () => (now += 10);
}
