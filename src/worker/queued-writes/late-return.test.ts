import { describe, expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { CREATES, made, TEMPORARY } from './named-writes.fixture.ts';
import { EDIT, OutboxStage, rounds, waitFor } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

const DISCARD = { kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } } as const;

/**
 * A page queues a write, and is put into the back/forward cache before it hears of that. Another page goes on meanwhile. The first
 * comes back to another worker, and hands its call in again.
 */
class LateReturn {
  readonly stage: OutboxStage = new OutboxStage();
  readonly tab: OutboxTab = this.stage.open();
  /** It is opened as the page comes back. */
  readonly other: OutboxTab = this.stage.open();
  readonly #body = { kind: 'text', text: 'before' } as const;
  readonly #call = {
    ...submission(1, { method: 'POST', template: '/photos', body: this.#body }),
    ticket: {
      entry: 'entry-1',
      key: 'key-1',
      resource: 'photos',
      action: 'add',
      lane: 'a',
      ...CREATES,
      isShown: true,
    },
  };

  /** Its server answers it with this status. */
  async leave(status: number): Promise<void> {
    const gone = this.stage.open();
    this.stage.answer = () => json({}, {}, status);
    await gone.greet();
    await this.tab.greet();
    gone.reachable = false;
    void gone.submitAll([this.#call]);
    await rounds();
  }

  /** The app is used for so many minutes. */
  async goOn(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await waitFor(this.stage, 60_000);
      const name = { entry: `other-${minute}`, key: `other-${minute}`, lane: 'b' };
      await this.tab.queue(10 + minute, `other ${minute}`, {}, name);
      await this.tab.heard(`other-${minute} done`);
    }
  }

  async return(): Promise<OutboxTab> {
    this.stage.restart();
    const back = this.stage.open();
    await this.other.greet();
    await back.greet();
    await back.submitAll([this.#call]);
    await rounds();
    await waitFor(this.stage, 60_000);
    return back;
  }

  get performed(): string[] {
    return this.stage.performed.filter((text) => !text.startsWith('other'));
  }
}

describe.each([2, 20])('a page that comes back %s minutes later', (minutes) => {
  test('does not have a write sent that was discarded', async () => {
    const late = new LateReturn();
    await late.leave(503);
    await late.tab.remote.control(DISCARD);
    late.stage.answer = () => null;
    await late.goOn(minutes);
    const back = await late.return();
    expect([late.performed, await back.list()]).toEqual([[], []]);
    expect(back.deliveries).toContainEqual(
      expect.objectContaining({ kind: 'queued', write: expect.objectContaining({ state: 'discarded' }) }),
    );
  });

  test('does not have a write sent as it was that was edited and done', async () => {
    const late = new LateReturn();
    await late.leave(422);
    late.stage.answer = () => null;
    const body = { kind: 'text', text: 'edited' } as const;
    await late.tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { ...EDIT, body } });
    await late.tab.heard('entry-1 done');
    await late.goOn(minutes);
    const back = await late.return();
    expect([late.performed, back.queued]).toEqual([['edited'], [1]]);
  });
});

async function done(): Promise<LateReturn> {
  const late = new LateReturn();
  await late.leave(422);
  late.stage.answer = ({ init }) => (init.body === 'before' ? made(7) : null);
  await late.tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
  await late.tab.heard('entry-1 done');
  await late.goOn(20);
  return late;
}

describe('twenty minutes after a write was done', () => {
  test('its page hears that, what it had called, and the id that it was given', async () => {
    const late = await done();
    const told = (await late.return()).deliveries.find((each) => each.kind === 'queued');
    expect(told?.kind === 'queued' && told.write).toMatchObject({
      entry: 'entry-1',
      state: 'done',
      lane: 'a',
      body: { kind: 'text', text: 'before' },
      answer: null,
      endedAt: expect.any(Number),
      temporaryId: TEMPORARY,
      givenId: 7,
    });
  });

  test('no other page is told of it again', async () => {
    const late = await done();
    await late.return();
    expect([late.other.writes, late.performed]).toEqual([[], []]);
  });

  test('a page that follows it is told that it is done, and neither what it sent nor what was answered', async () => {
    const late = await done();
    const entries = ['entry-1', 'none'];
    const reply = await late.tab.remote.control({ kind: 'list-outbox', after: null, entries });
    const page = { entries: [{ state: 'done', params: [], headers: [], body: null, answer: null }] };
    expect(reply).toMatchObject({ kind: 'outbox-page', page });
  });
});

test('a page that comes back to a write that was edited, and waits, tells nobody what it had called itself', async () => {
  const late = new LateReturn();
  await late.leave(422);
  late.stage.answer = () => json({}, {}, 503);
  const body = { kind: 'text', text: 'edited' } as const;
  await late.tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { ...EDIT, body } });
  await rounds();
  const back = await late.return();
  const told = back.deliveries.flatMap((each) => (each.kind === 'queued' ? [each.write] : []));
  const bodies = [...told, ...late.other.writes].flatMap((each) => (each.body ? [each.body] : []));
  expect(new Set(bodies.map((each) => each.kind === 'text' && each.text))).toEqual(new Set(['edited']));
});

test('a discard that is said twice, since its reply was lost, is made twenty minutes later, too', async () => {
  const late = new LateReturn();
  await late.leave(503);
  await late.tab.remote.control(DISCARD);
  late.stage.answer = () => null;
  await late.goOn(20);
  expect(await late.tab.remote.control(DISCARD)).toEqual({ kind: 'decided', as: 'decided' });
});
