import { expect, test } from 'vitest';
import type { Revision } from '../../shared/outcome.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Asking } from './asking.ts';
import { quietPorts, toldBy } from './stage.fixture.ts';
import { Subscribers } from '../states/state-audience.ts';
import { Publisher } from '../states/publisher.ts';
import { NEWEST_ANSWER } from '../states/delivery-policy.ts';

const FIRST: Revision = { lineage: 'a', number: 1 };
const SECOND: Revision = { lineage: 'a', number: 2 };

/** A loop's requests, answered when told to. */
class Stage {
  readonly comparedWith: (Revision | null)[] = [];
  readonly forgotten: Revision[] = [];
  readonly #answers: ((outcome: ReadOutcome) => void)[] = [];
  readonly asking: Asking = new Asking({
    invoke: ({ reading }) => {
      this.comparedWith.push(reading.kind === 'revised' ? reading.volatileRevision : null);
      return new Promise((resolve) => this.#answers.push(resolve));
    },
    forget: (revision) => this.forgotten.push(revision),
    publisher: new Publisher({
      ...quietPorts(new VirtualClock()),
      ...toldBy(() => {}),
      url: null,
      rules: NEWEST_ANSWER,
      askedAt: () => 0,
      nextIn: () => 0,
      now: () => 0,
    }),
    subscribers: new Subscribers(),
    isHeld: false,
    reading: 'revised',
    writeBehind: true,
  });

  ask(isOwn = true): void {
    void this.asking.forAll(new AbortController().signal, invocation(), NO_ADDITION, isOwn);
  }

  async answer(outcome: ReadOutcome): Promise<void> {
    this.#answers.shift()?.(outcome);
    await settle();
  }
}

function marked(mark: Revision): ReadOutcome {
  const { answer, ...rest } = answered();
  const body = {
    kind: 'json',
    bytes: new ArrayBuffer(0),
    patchFrom: null,
    chunks: null,
    volatileRevision: mark,
  } as const;
  return { ...rest, answer: { ...answer, body } };
}

test('each answer that is not stored is compared with the one before', async () => {
  const stage = new Stage();
  for (const outcome of [marked(FIRST), marked(SECOND), answered()]) {
    stage.ask();
    await stage.answer(outcome);
  }
  stage.ask();
  expect(stage.comparedWith).toEqual([null, FIRST, SECOND, null]);
  // What is stored takes its place, or what was told before it.
  expect(stage.forgotten).toEqual([FIRST, SECOND]);
});

test('what brings nothing leaves the answer before it the one that is compared', async () => {
  const stage = new Stage();
  for (const outcome of [marked(FIRST), failed('network'), answered({ status: 204 })]) {
    stage.ask();
    await stage.answer(outcome);
  }
  stage.ask();
  expect(stage.comparedWith).toEqual([null, FIRST, FIRST, FIRST]);
});

test('a request to catch up is compared with nothing', async () => {
  const stage = new Stage();
  stage.ask();
  await stage.answer(marked(FIRST));
  stage.ask(false);
  await stage.answer(answered());
  stage.ask();
  expect(stage.comparedWith).toEqual([null, null, FIRST]);
});

test('nothing is kept beyond the loop, not even of an answer that comes after its end', async () => {
  const stage = new Stage();
  stage.ask();
  await stage.answer(marked(FIRST));
  stage.ask();
  stage.asking.end();
  expect(stage.forgotten).toEqual([FIRST]);
  await stage.answer(marked(SECOND));
  expect(stage.forgotten).toEqual([FIRST, SECOND]);
});
