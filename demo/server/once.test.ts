import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Answers } from './answers.ts';
import { openDatabase } from './database.ts';
import { startServer } from './server.ts';
import type { RunningServer } from './server.ts';
import { Visitor } from './visitor.fixture.ts';

let server: RunningServer;
let mira: Visitor;
let jonas: Visitor;

beforeAll(async () => {
  server = await startServer({ port: 0, database: 'memory' });
  mira = await Visitor.signedIn(server.url, 'mira');
  jonas = await Visitor.signedIn(server.url, 'jonas');
});

afterAll(async () => {
  await server.close();
});

interface Made {
  readonly id: number;
  readonly title: string;
  readonly version: number;
}

async function read<Body>(response: Response): Promise<Body> {
  return JSON.parse(await response.text());
}

async function totalOf(visitor: Visitor, query: string): Promise<number> {
  const { total } = await read<{ total: number }>(await visitor.get(`/api/photos?q=${query}`));
  return total;
}

const create = (visitor: Visitor, title: string, key: string): Promise<Response> =>
  visitor.write('POST', '/api/photos', { title }, keyed(key));

const keyed = (key: string, more: Record<string, string> = {}) => ({ 'Idempotency-Key': key, ...more });

describe('a write with a key', () => {
  test('is performed once, however often it is sent, at the same time too, and answered as it was', async () => {
    const send = () => create(mira, 'Oncemade', '"create-1"');
    const answers = [...(await Promise.all([send(), send(), send()])), await send()];
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(bodies).size).toBe(1);
    const told = answers.map(({ headers }) => ['Location', 'ETag', 'Vary'].map((name) => headers.get(name)));
    expect(new Set(told.map(String)).size).toBe(1);
    expect(told[0]).not.toContain(null);
    expect(await totalOf(mira, 'Oncemade')).toBe(1);
  });

  test('changes and deletes once', async () => {
    const { id } = await read<Made>(await mira.write('POST', '/api/photos', { title: 'Once changed' }));
    const path = `/api/photos/${id}`;
    const tag = (await mira.get(path)).headers.get('ETag') ?? '';
    const change = () =>
      mira.write('PUT', path, { title: 'Changed' }, keyed('"change-1"', { 'If-Match': tag }));
    expect([(await change()).status, (await change()).status]).toEqual([200, 200]);
    expect(await read(await mira.get(path))).toMatchObject({ title: 'Changed', version: 2 });
    const remove = () => mira.send(path, { method: 'DELETE', headers: keyed('"delete-1"') });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
    expect((await mira.send(path, { method: 'DELETE', headers: keyed('"delete-2"') })).status).toBe(404);
  });

  test('that was refused may succeed under the same key: it has changed nothing', async () => {
    expect((await create(mira, '', '"refused"')).status).toBe(400);
    expect((await create(mira, 'Better now', '"refused"')).status).toBe(201);
  });

  test('is not another write, and not another user’s', async () => {
    const hers = await read<Made>(await create(mira, 'Sharedkey', '"shared"'));
    expect((await create(mira, 'Something else', '"shared"')).status).toBe(422);
    const his = await read<Made>(await create(jonas, 'Sharedkey', '"shared"'));
    expect(his.id).not.toBe(hers.id);
    expect([await totalOf(mira, 'Sharedkey'), await totalOf(jonas, 'Sharedkey')]).toEqual([1, 1]);
  });

  test.for([['""'], ['"a" "b"'], [`"${'a'.repeat(256)}"`], ['a b']] as const)(
    'of %j is refused',
    async ([key]) => {
      const answer = await create(mira, 'Badkey', key);
      expect(answer.status).toBe(400);
      expect(await totalOf(mira, 'Badkey')).toBe(0);
    },
  );
});

test('a write of a version that is no longer there is told what is there instead, and its tag', async () => {
  const { id } = await read<Made>(await mira.write('POST', '/api/photos', { title: 'Overtaken' }));
  const path = `/api/photos/${id}`;
  const tag = (await mira.get(path)).headers.get('ETag') ?? '';
  await mira.write('PUT', path, { title: 'Theirs' });
  const late = keyed('"late"', { 'If-Match': tag });
  const refused = await mira.write('PUT', path, { title: 'Mine' }, late);
  const kept = await mira.send(path, { method: 'DELETE', headers: { 'If-Match': tag } });
  expect([refused.status, kept.status]).toEqual([412, 412]);
  for (const answer of [refused, kept]) {
    expect(await read(answer)).toMatchObject({ current: { id, title: 'Theirs', version: 2 } });
    expect(answer.headers.get('ETag')).toBe((await mira.get(path)).headers.get('ETag'));
  }
  const headers = keyed('"after"', { 'If-Match': refused.headers.get('ETag') ?? '' });
  expect((await mira.write('PUT', path, { title: 'Mine' }, headers)).status).toBe(200);
});

test('answers are known for some days, and forgotten with the next one that is stored', async () => {
  const sql = await openDatabase(null);
  const answers = new Answers(sql, 'mira');
  const reply = { status: 201, headers: { ETag: '"1"' }, body: '{}' };
  await answers.store('old', 'digest', reply);
  expect(await answers.find('old', 'digest')).toEqual(reply);
  const pass = (days: number) =>
    sql.query(`UPDATE answer SET ends_at = ends_at - $1 * interval '1 day'`, [days]);
  await pass(6.9);
  expect(await answers.find('old', 'digest')).toEqual(reply);
  await pass(0.2);
  expect(await answers.find('old', 'digest')).toBeNull();
  await answers.store('new', 'digest', { status: 204, headers: {}, body: null });
  expect((await sql.query('SELECT key FROM answer')).rows).toEqual([{ key: 'new' }]);
  await sql.close();
});
