import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import type { SentBody } from '../../shared/delivery.ts';
import type { LoopDeclaration, EventInterest } from '../../shared/protocol.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import type { ReadAnswered } from '../contracts/read-body.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { SharedLoop } from '../loops/shared-loop.ts';
import { declaration, memoryIn, OPEN, SILENT, toldBy } from '../loops/stage.fixture.ts';
import type { Membership } from '../loops/shared-loop.ts';

const BODILESS: EventInterest = { ...SILENT, body: false };

/** A loop whose nth answer is the nth revision of a body that is JSON. */
class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly told: string[] = [];
  asked = 0;
  answer: (n: number) => ReadAnswered = revision;
  outcome: (n: number) => Outcome | null = () => null;
  readonly #loop: SharedLoop;

  constructor(wish: Partial<LoopDeclaration> = {}) {
    this.#loop = new SharedLoop(
      declaration(wish),
      { clock: this.clock, random: () => 0.5 },
      {
        invoke: async () => {
          this.asked += 1;
          return this.outcome(this.asked) ?? this.answer(this.asked);
        },
        state: memoryIn(this.clock),
        newest: async () => this.answer(this.asked),
        acts: async () => {},
        forget: () => {},
        urlOf: () => null,
        admission: () => OPEN,
        ...toldBy((page, delivery) => {
          if (delivery.kind === 'tick') this.told.push(`${page} ${gist(delivery.outcome)}`);
        }),
      },
      () => {},
    );
  }

  async join(page: string, wish: Partial<LoopDeclaration> = {}): Promise<Membership> {
    const membership = this.#loop.join(page, declaration(wish), false);
    await settle();
    return membership;
  }

  /** Lets the loop ask once more, and says what was told. */
  async tick(): Promise<readonly string[]> {
    await this.clock.advance(1_000);
    return this.told.splice(0);
  }
}

function revision(number: number): ReadAnswered {
  const bytes = new TextEncoder().encode(`["${number}"]`).buffer;
  const body = { kind: 'json', bytes, patchFrom: null, chunks: null } as const;
  return { ...answered(), revision: { lineage: 'a', number }, answer: { status: 200, headers: [], body } };
}

function gist(outcome: Outcome<SentBody>): string {
  if (outcome.kind === 'failed') return outcome.failure.code;
  const { body } = outcome.answer;
  return `${body.kind}${outcome.revision ? ` ${outcome.revision.number}` : ''}`;
}

describe('a page that wants no bodies', () => {
  test('hears of each answer without its body, and of failures; others get what they want', async () => {
    const stage = new Stage();
    await stage.join('one', { interest: BODILESS });
    await stage.join('two');
    expect(stage.told.splice(0)).toEqual(['one unsent 1', 'two json 1']);
    expect(await stage.tick()).toEqual(['one unsent 2', 'two json 2']);
    stage.outcome = () => failed('network');
    expect(await stage.tick()).toEqual(['one network', 'two network']);
  });

  test('gets the body of what it cannot ask for in parts: what is not stored, or not JSON', async () => {
    const stage = new Stage();
    stage.answer = (number) =>
      number === 1
        ? { ...revision(number), revision: null }
        : answered({ revision: { lineage: 'a', number } });
    await stage.join('one', { interest: BODILESS });
    expect(stage.told.splice(0)).toEqual(['one json']);
    expect(await stage.tick()).toEqual(['one value 2']);
  });

  test('is told the newest at once when it wants it after all, without another request', async () => {
    const stage = new Stage();
    const one = await stage.join('one', { interest: BODILESS });
    await stage.join('two');
    stage.told.splice(0);
    one.setInterest(SILENT);
    await settle();
    expect(stage.told.splice(0)).toEqual(['one json 1']);
    one.setInterest({ ...SILENT, sent: true });
    await settle();
    expect(stage.told.splice(0)).toEqual([]);
    expect(stage.asked).toBe(1);
    expect(await stage.tick()).toEqual(['one json 2', 'two json 2']);
  });

  test('is told nothing old before its first answer', async () => {
    const stage = new Stage({ firstIn: 500 });
    const one = await stage.join('one', { interest: BODILESS, firstIn: 500 });
    one.setInterest(SILENT);
    await settle();
    expect(stage.told).toEqual([]);
    expect(await stage.tick()).toEqual(['one json 1']);
  });

  test('is told the newest as well in another life of the worker, where it has heard of it', async () => {
    const wish = {
      interest: BODILESS,
      firstIn: 500,
      again: { revision: { lineage: 'a', number: 1 }, overdueBy: 0 },
    };
    const stage = new Stage(wish);
    stage.asked = 1;
    const one = await stage.join('one', wish);
    expect(stage.told).toEqual([]);
    one.setInterest(SILENT);
    await settle();
    expect(stage.told.splice(0)).toEqual(['one json 1']);
    expect(await stage.tick()).toEqual(['one json 2']);
  });

  test('gets no changes to a body that it never had', async () => {
    const patchFrom = { from: { lineage: 'a', number: 1 }, patch: null };
    const stage = new Stage();
    stage.answer = (n) => {
      const { answer, ...rest } = revision(Math.min(n, 1));
      return {
        ...rest,
        answer: { ...answer, body: { kind: 'json', bytes: new ArrayBuffer(0), patchFrom, chunks: null } },
      };
    };
    const one = await stage.join('one', { interest: BODILESS });
    one.setInterest(SILENT);
    await settle();
    expect(stage.told.splice(0)).toEqual(['one unsent 1', 'one json 1']);
    expect(await stage.tick()).toEqual(['one patches 1']);
    one.setInterest(BODILESS);
    expect(await stage.tick()).toEqual(['one unsent 1']);
    one.setInterest(SILENT);
    await settle();
    expect(stage.told.splice(0)).toEqual(['one json 1']);
  });
});
