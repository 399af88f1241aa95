import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import type { Query } from '../queries/query.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { done, OptimisticPage, titles } from './optimistic-page.fixture.ts';

const ROWS = [
  { id: 1, title: 'Dawn' },
  { id: 2, title: 'Noon' },
];
const WITH_NIGHT = [...ROWS, { id: 3, title: 'Night' }];

let page: OptimisticPage;
let query: Query;

beforeEach(async () => {
  page = new OptimisticPage();
  query = page.resource.query('list', {});
  query.subscribe(() => {});
  await page.list(ROWS, 0);
});

afterEach(() => page.leave());

async function sending(): Promise<WriteReport> {
  page.resource.create(null, { title: 'Dusk' });
  const write = await page.last();
  await page.tell(write);
  await page.tell({ ...write, state: 'sending', attempts: 1, body: null });
  void query.refresh();
  await page.list(WITH_NIGHT, 5);
  expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  return write;
}

/** Another worker answers, which keeps these writes. */
async function revive(writes: readonly WriteReport[]): Promise<void> {
  await replaced(() => page.keep(writes));
}

async function replaced(prepare: () => void): Promise<void> {
  const { host } = page;
  const gone = host.replace();
  host.life.identity = { name: null, epoch: 2, isSignedIn: false };
  prepare();
  await gone;
  void query.refresh();
  for (let turn = 0; turn < 8; turn += 1) await flush();
}

/**
 * A write that waits, as its worker has told it. The next worker says what waits and what it knows of the write, or that it cannot.
 */
async function waiting(told: Partial<WriteReport> = {}): Promise<{
  write: WriteReport;
  say: (waits: WriteReport[] | null, known?: WriteReport[]) => Promise<void>;
}> {
  page.resource.create(null, { title: 'Dusk' });
  const write = await page.last();
  await page.tell({ ...write, ...told });
  const said: ((reply: [WriteReport[] | null, WriteReport[]]) => void)[] = [];
  const saying = new Promise<[WriteReport[] | null, WriteReport[]]>((resolve) => said.push(resolve));
  await replaced(() => {
    page.host.life.replyTo = async (command) => {
      if (command.kind !== 'list-outbox') return { kind: 'done' };
      const [waits, known] = await saying;
      const entries = command.entries ? known : waits;
      if (!entries) throw new Error('The database fails');
      return { kind: 'outbox-page', page: { entries, next: null } };
    };
  });
  const say = async (waits: WriteReport[] | null, known: WriteReport[] = waits ?? []): Promise<void> => {
    for (const tell of said) tell([waits, known]);
    for (let turn = 0; turn < 12; turn += 1) await flush();
  };
  return { write, say };
}

describe('a worker that dies while it sends', () => {
  test('lets answers through once the next one has it queued again', async () => {
    const write = await sending();
    await revive([{ ...write, attempts: 1 }]);
    await page.list(WITH_NIGHT, 7);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Night', 'Dusk']);
  });

  test('lets answers through once the next one does not know it', async () => {
    await sending();
    await revive([]);
    await page.list([...WITH_NIGHT, { id: 7, title: 'Dusk' }], 1_001);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Night', 'Dusk']);
  });
});

describe('the next worker answers before it has said what waits', () => {
  test('a write that the one before has performed does not show twice', async () => {
    const { write, say } = await waiting();
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 900);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
    await say([done(write, page.at(800), 7)]);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  test('a row that one has created and another removed meanwhile does not come back', async () => {
    const { write, say } = await waiting();
    await page.list(ROWS, 900);
    await say([], [done(write, page.at(800), 7)]);
    expect(titles(query)).toEqual(['Dawn', 'Noon']);
  });

  test('a write that one worker has listed and performed, before it could list the rest, does not show twice', async () => {
    const { write } = await waiting();
    await replaced(() => {
      page.host.life.replyTo = (command) => {
        if (command.kind !== 'list-outbox') return { kind: 'done' };
        if (command.after !== null) return new Promise(() => {});
        return { kind: 'outbox-page', page: { entries: [write], next: write.place } };
      };
    });
    await replaced(() => {
      page.host.life.replyTo = (command) => {
        if (command.kind !== 'list-outbox') return { kind: 'done' };
        const entries = command.entries ? [done(write, page.at(800), 7)] : [];
        return { kind: 'outbox-page', page: { entries, next: null } };
      };
    });
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 900);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  test('what a write has changed stays as it was shown where the next one knows no more than that it is done', async () => {
    page.resource.rename({ id: 1 }, { title: 'Dusk' });
    const write = await page.last();
    await page.tell(write);
    const past = { params: [], headers: [], lane: '', body: null, answer: null };
    await replaced(() => {
      page.host.life.replyTo = (command) => {
        if (command.kind !== 'list-outbox') return { kind: 'done' };
        const entries = command.entries ? [{ ...done(write, page.at(800)), ...past }] : [];
        return { kind: 'outbox-page', page: { entries, next: null } };
      };
    });
    expect(titles(query)).toEqual(['Dusk', 'Noon']);
    await page.list([{ id: 1, title: 'Night' }], 900);
    expect(titles(query)).toEqual(['Night']);
  });

  test.each(['says that the write waits still', 'cannot say it'])(
    'what others have changed is shown once it %s',
    async (what) => {
      const { write, say } = await waiting();
      await page.list(WITH_NIGHT, 900);
      await say(what === 'cannot say it' ? null : [{ ...write, attempts: 1 }]);
      expect(titles(query)).toEqual(['Dawn', 'Noon', 'Night', 'Dusk']);
    },
  );

  test('what others have changed is shown where an edit cannot be read, and so is the edit once it is told', async () => {
    const { write, say } = await waiting();
    await page.list(WITH_NIGHT, 900);
    const edited: WriteReport = { ...write, key: 'another', version: 1, body: null };
    await say([edited]);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Night', 'Dusk']);
    await page.tell({ ...edited, body: { kind: 'text', text: 'title=Late' } });
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Night', 'Late']);
  });

  test('what others have changed is shown where an attempt was told, but not stored', async () => {
    const { write, say } = await waiting({ attempts: 1 });
    await page.list(WITH_NIGHT, 900);
    await say([write]);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Night', 'Dusk']);
  });
});

describe('plain calls that come to nothing', () => {
  test.each(['aborted', 'timeout', 'worker-lost'] as const)('%s', async (code) => {
    const id = page.resource.like({ id: 1 }, { title: 'Dawn!' });
    expect(titles(query)).toEqual(['Dawn!', 'Noon']);
    if (code === 'aborted') page.resource.abort(id);
    else
      await page.answer(id, {
        kind: 'failed',
        failure: code === 'timeout' ? { code, message: '', timeout: 1 } : { code, message: '' },
        answer: null,
        request: null,
      });
    expect(titles(query)).toEqual(['Dawn', 'Noon']);
  });
});

describe('polls', () => {
  test('a tick that was asked for after the write was done', async () => {
    const polled = page.open().query('list', { page: 3 }, { interval: 5_000 });
    polled.subscribe(() => {});
    await flush();
    const { life } = page.host;
    const loop = life.told('declare').at(-1)?.declaration.loop ?? 0;
    const tick = async (rows: unknown, second: number, number: number): Promise<void> => {
      const outcome = answered(rows, {
        asOf: page.at(second),
        revision: { lineage: '1-a', number },
      });
      await life.deliver({ kind: 'tick', loop, outcome, nextIn: 5_000 });
      await flush();
    };
    await tick(ROWS, 1, 1);
    page.resource.create(null, { title: 'Dusk' });
    const write = await page.last();
    await page.tell(write);
    expect(titles(polled)).toEqual(['Dawn', 'Noon', 'Dusk']);
    await page.tell(done(write, page.at(10), 7));
    await tick([...ROWS, { id: 7, title: 'Dusk' }], 12, 2);
    expect(titles(polled)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });
});
