import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import type { SentBody } from '../../shared/delivery.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { answered, TIMED_OUT } from '../contracts/outcome.fixture.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { SharedLoop } from './shared-loop.ts';
import type { Membership } from './shared-loop.ts';
import { declaration, memoryIn, OPEN, SILENT, toldBy } from './stage.fixture.ts';

/** A poll of 1 s whose nth answer is the nth revision, each of which has its patch. */
class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly told: string[] = [];
  /** How many answers there were, and the newest of the states that they told of. */
  asked = 0;
  state = 0;
  isSteady = false;
  failing = false;
  stored: (n: number) => ReadAnswered | null = (n) => (n > 0 ? revision(n) : null);
  readonly #loop: SharedLoop;

  constructor(wish: Partial<LoopDeclaration> = {}) {
    this.#loop = new SharedLoop(
      declaration(wish),
      { clock: this.clock, random: () => 0 },
      {
        invoke: async () => this.#answer(),
        state: memoryIn(this.clock),
        newest: async () => this.stored(this.state),
        acts: async () => {},
        forget: () => {},
        urlOf: () => null,
        admission: () => OPEN,
        ...toldBy((page, delivery) => {
          if (delivery.kind === 'tick') this.told.push(`${page}: ${gist(delivery.outcome)}`);
          else this.told.push(`${page}: ${delivery.kind}`);
        }),
      },
      () => {},
    );
  }

  async join(page: string, hidden = false, wish: Partial<LoopDeclaration> = {}): Promise<Membership> {
    const membership = this.#loop.join(page, declaration(wish), hidden);
    await settle();
    return membership;
  }

  /** One page that is seen, and one that is hidden after both have heard the first answer. */
  async pair(wish: Partial<LoopDeclaration> = {}): Promise<Membership> {
    await this.join('seen');
    const other = await this.join('other', false, wish);
    other.setHidden(true);
    this.told.splice(0);
    return other;
  }

  /** Lets time pass, and says what the other page was told. */
  async pass(milliseconds: number): Promise<readonly string[]> {
    await this.clock.advance(milliseconds);
    await settle();
    return this.told.splice(0).flatMap((each) => (each.startsWith('other: ') ? each.slice(7) : []));
  }

  async show(page: Membership): Promise<readonly string[]> {
    page.setHidden(false);
    return this.pass(0);
  }

  #answer(): ReadOutcome {
    this.asked += 1;
    if (this.failing) return TIMED_OUT;
    if (!this.isSteady) this.state += 1;
    return { ...revision(this.state), changed: !this.isSteady };
  }
}

function revision(number: number): ReadAnswered {
  const bytes = new TextEncoder().encode(`["${'x'.repeat(100)}"]`).buffer;
  const patch = { path: [], envelope: null, change: null };
  const step = { from: { lineage: 'a', number: number - 1 }, patch };
  const body = { kind: 'json', bytes, patchFrom: step, chunks: null } as const;
  return { ...answered(), revision: { lineage: 'a', number }, answer: { status: 200, headers: [], body } };
}

function gist(outcome: Outcome<SentBody>): string {
  if (outcome.kind === 'failed') return outcome.failure.code;
  const { body } = outcome.answer;
  const n = outcome.revision?.number;
  const sign = outcome.changed ? '' : ' again';
  return body.kind === 'patches' ? `${body.from.number} to ${n}${sign}` : `${body.kind} ${n}${sign}`;
}

describe('a hidden page', () => {
  test('is told once that there is news, and what has changed by then as soon as it is shown', async () => {
    const stage = new Stage();
    const other = await stage.pair();
    expect(await stage.pass(5_000)).toEqual(['unsent 2']);
    expect(await stage.show(other)).toEqual(['1 to 6']);
    expect(stage.asked).toBe(6);
    expect(await stage.pass(1_000)).toEqual(['6 to 7']);
  });

  test('hears of an answer once a minute, with all that has changed', async () => {
    const stage = new Stage();
    await stage.pair();
    expect(await stage.pass(60_000)).toEqual(['unsent 2', '1 to 61']);
    expect(await stage.pass(60_000)).toEqual(['unsent 62', '61 to 121']);
  });

  test('hears that nothing has changed since, though the last answer brought nothing new', async () => {
    const stage = new Stage();
    await stage.pair();
    await stage.pass(10_000);
    stage.isSteady = true;
    expect(await stage.pass(50_000)).toEqual(['1 to 11']);
    expect(await stage.pass(60_000)).toEqual(['11 to 11 again']);
  });

  test('hears every answer where all are hidden, once a minute', async () => {
    const stage = new Stage();
    const other = await stage.join('other');
    other.setHidden(true);
    stage.told.splice(0);
    expect(await stage.pass(180_000)).toEqual(['1 to 2', '2 to 3', '3 to 4']);
  });

  test('is told as always, or nothing more however long it takes, if that is what its poll says', async () => {
    for (const [hidden, told] of [
      ['continue', ['1 to 2', '2 to 3']],
      ['pause', ['unsent 2']],
    ] as const) {
      const stage = new Stage();
      await stage.pair({ pace: { kind: 'poll', interval: 1_000, hidden } });
      expect(await stage.pass(2_000)).toEqual(told);
      expect(await stage.pass(120_000)).toHaveLength(hidden === 'pause' ? 0 : 120);
    }
  });

  test('is told nothing where nothing changes; when it is shown, that this is so', async () => {
    const stage = new Stage();
    const other = await stage.pair();
    stage.isSteady = true;
    expect(await stage.pass(5_000)).toEqual([]);
    expect(await stage.show(other)).toEqual(['1 to 1 again']);
    other.setHidden(true);
    expect(await stage.show(other)).toEqual([]);
  });

  test('hears of a failure when it is shown, if that stands', async () => {
    const stage = new Stage();
    const other = await stage.pair();
    await stage.pass(1_000);
    stage.failing = true;
    expect(await stage.pass(30_000)).toEqual([]);
    expect(await stage.show(other)).toEqual(['1 to 2', 'timeout']);
    other.setHidden(true);
    stage.failing = false;
    expect(await stage.pass(20_000)).toEqual(['unsent 3']);
    expect((await stage.show(other))[0]).toBe('2 to ' + stage.state);
  });

  test('is told its first answer at once, and nothing that is on its way in between', async () => {
    const stage = new Stage();
    await stage.join('seen');
    await stage.join('other', true, { interest: { ...SILENT, started: true } });
    expect(await stage.pass(0)).toEqual(['json 1']);
    expect(await stage.pass(3_000)).toEqual(['unsent 2']);
  });

  test('is told its first answer at once though there was a failure before', async () => {
    const stage = new Stage();
    stage.failing = true;
    await stage.join('seen');
    await stage.join('other', true);
    expect(await stage.pass(0)).toEqual(['timeout']);
    stage.failing = false;
    expect(await stage.pass(3_000)).toEqual(['json 1', 'unsent 2']);
  });

  test('is told what it has missed though it is hidden again meanwhile: at the next time that it is shown', async () => {
    const stage = new Stage();
    const other = await stage.pair();
    await stage.pass(2_000);
    other.setHidden(false);
    other.setHidden(true);
    expect(await stage.pass(2_000)).toEqual([]);
    expect(await stage.show(other)).toEqual(['1 to 5']);
  });

  test('catches up though what was stored has been cleared away', async () => {
    const stage = new Stage();
    const other = await stage.pair();
    await stage.pass(3_000);
    stage.stored = () => null;
    expect(await stage.show(other)).toEqual(['1 to 4']);
  });

  test('is told the whole where the changes are not known any more', async () => {
    const stage = new Stage();
    const other = await stage.pair({ pace: { kind: 'poll', interval: 1_000, hidden: 'pause' } });
    await stage.pass(120_000);
    expect(await stage.show(other)).toEqual(['json 121']);
  });

  test('that asks for it itself hears the answer', async () => {
    const stage = new Stage();
    const other = await stage.pair();
    await stage.pass(3_000);
    other.leave();
    const again = { revision: { lineage: 'a', number: 1 }, overdueBy: 0, behind: true };
    await stage.join('other', true, { restart: true, again });
    expect(await stage.pass(0)).toEqual(['1 to 5']);
  });

  test('that wants rows alone hears of the newest without its body when it is shown', async () => {
    const stage = new Stage();
    const other = await stage.pair({ interest: { ...SILENT, body: false } });
    expect(await stage.pass(5_000)).toEqual(['unsent 2']);
    expect(await stage.show(other)).toEqual(['unsent 6']);
  });
});

test('a hidden page that wants rows alone for a while is told the whole afterwards: it has kept no body', async () => {
  const stage = new Stage();
  const other = await stage.pair();
  other.setInterest({ ...SILENT, body: false });
  expect(await stage.pass(1_000)).toEqual(['unsent 2']);
  other.setInterest(SILENT);
  expect(await stage.pass(1_000)).toEqual([]);
  expect(await stage.show(other)).toEqual(['json 3']);
});

describe('in another life of the worker', () => {
  const again = { revision: { lineage: 'a', number: 1 }, overdueBy: 0 };
  const held: Partial<LoopDeclaration> = {
    pace: { kind: 'poll', interval: 10_000, hidden: 'pause' },
    firstIn: 9_000,
  };

  test.each([1, null])('a page that was hidden, knows of news and is shown is told at once', async (n) => {
    const has = n === null ? null : { lineage: 'a', number: n };
    const wish = { ...held, again: { ...again, revision: has, behind: true } };
    const stage = new Stage(wish);
    stage.state = 7;
    await stage.join('other', false, wish);
    expect(await stage.pass(0)).toEqual(['json 7']);
  });

  test('one that is shown is not told what is stored where that is older than what it has', async () => {
    const wish = { ...held, again: { ...again, revision: { lineage: 'a', number: 7 }, behind: true } };
    const stage = new Stage(wish);
    stage.state = 6;
    const other = await stage.join('other', true, wish);
    expect(await stage.show(other)).toEqual([]);
    // The next answer is news again.
    stage.state = 7;
    expect(await stage.pass(10_000)).toEqual(['7 to 8']);
  });

  test('one that is hidden still is told when it is shown', async () => {
    const wish = { ...held, again: { ...again, behind: true } };
    const stage = new Stage(wish);
    stage.state = 7;
    const other = await stage.join('other', true, wish);
    expect(await stage.pass(5_000)).toEqual([]);
    expect(await stage.show(other)).toEqual(['json 7']);
  });
});
