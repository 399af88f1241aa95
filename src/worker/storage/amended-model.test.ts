import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ByteDelta, StoredResponse } from '../contracts/response-store.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { Database } from './database.ts';
import { IdbResponses } from './idb-responses.ts';
import { MemoryResponses } from './responses.ts';
import { record } from './record.fixture.ts';
import { sizeOf } from './response-record.ts';
import type { RecordChange } from './response-record.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** One thing that befalls an answer. */
type Step =
  | { readonly kind: 'replace'; readonly bytes: Bytes }
  | { readonly kind: 'amend'; readonly at: number; readonly drop: number; readonly literal: Bytes }
  | { readonly kind: 'describe'; readonly receivedAt: number }
  | { readonly kind: 'remove' | 'die' }
  | { readonly kind: 'wait'; readonly milliseconds: number };

const some = (maxLength: number): fc.Arbitrary<Bytes> =>
  fc.uint8Array({ maxLength, size: 'max' }).map((bytes) => new Uint8Array(bytes));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replace' as const), bytes: some(4_000) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('amend' as const),
      at: fc.nat(4_000),
      drop: fc.nat(200),
      literal: some(300),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('describe' as const), receivedAt: fc.nat(9_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'die' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.nat(40_000) }),
  },
);

/** What is stored, as it ought to be. */
interface Model {
  readonly record: StoredResponse;
  readonly bytes: Bytes;
}

function nextOf(model: Model | null, bytes: Bytes): StoredResponse {
  const digest = createHash('sha256').update(bytes).digest('hex');
  const number = (model?.record.revision.number ?? 0) + 1;
  return record('a', bytes.length, { digest, revision: { lineage: 'line', number } });
}

function changed(base: Bytes, at: number, drop: number, literal: Bytes): [ByteDelta, Bytes] {
  const from = Math.min(at, base.length);
  const to = Math.min(from + drop, base.length);
  const bytes = new Uint8Array([...base.subarray(0, from), ...literal, ...base.subarray(to)]);
  const runs = [0, from, -1, literal.length, to, base.length - to];
  return [{ runs, literal: literal.slice().buffer, size: bytes.length }, bytes];
}

/** What a step decides, and what is to be stored then; null where it is nothing for `update`. */
function planOf(model: Model | null, taken: Step): [RecordChange, Model] | null {
  if (taken.kind === 'replace') {
    const stored = nextOf(model, taken.bytes);
    const { bytes } = taken;
    return [
      { kind: 'replace', stored, body: bytes.slice().buffer },
      { record: stored, bytes },
    ];
  }
  if (model === null) return null;
  if (taken.kind === 'describe') {
    const stored = { ...model.record, receivedAt: taken.receivedAt };
    return [
      { kind: 'describe', stored },
      { ...model, record: stored },
    ];
  }
  if (taken.kind !== 'amend') return null;
  const [change, bytes] = changed(model.bytes, taken.at, taken.drop, taken.literal);
  const stored = nextOf(model, bytes);
  return [
    { kind: 'amend', stored, from: model.record.revision, change, body: () => bytes.slice().buffer },
    { record: stored, bytes },
  ];
}

class Course {
  readonly system: FakeSystem = new FakeSystem();
  readonly memory: MemoryResponses = new MemoryResponses();
  stored: IdbResponses = this.#life();
  model: Model | null = null;

  async take(taken: Step): Promise<void> {
    if (taken.kind === 'die') this.stored = this.#life();
    if (taken.kind === 'wait') await this.system.clock.advance(taken.milliseconds);
    if (taken.kind === 'remove') await this.#forget();
    const plan = planOf(this.model, taken);
    if (plan === null) return;
    const [change, model] = plan;
    for (const answers of [this.stored, this.memory]) await answers.update('a', () => change);
    this.model = model;
  }

  /** What is found, its bytes, and how many bytes are counted, wherever it lies. */
  async seen(): Promise<unknown> {
    const { model } = this;
    const seen = [this.stored, this.memory].map(async (answers) => [
      await answers.find('a'),
      model && (await answers.body(model.record)),
      (await answers.usage()).bytes,
    ]);
    return Promise.all(seen);
  }

  async expected(): Promise<unknown> {
    const { model } = this;
    const counts = [await this.#lying(), model?.bytes.length ?? 0];
    return counts.map((count) => [model?.record ?? null, model && model.bytes.slice().buffer, count]);
  }

  /** What the database says that the answer counts for. */
  async #lying(): Promise<number> {
    const database = new Database(this.system, 'default', () => {});
    const found: unknown = await database.transact(['responses'], 'readonly', (transaction) =>
      transaction.objectStore('responses').get('a'),
    );
    return sizeOf(found);
  }

  async #forget(): Promise<void> {
    for (const answers of [this.stored, this.memory]) await answers.remove('a');
    this.model = null;
  }

  #life(): IdbResponses {
    return new IdbResponses(this.system, new Database(this.system, 'default', () => {}));
  }
}

test('whatever befalls an answer, its newest bytes are found, and what it takes is counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
      const course = new Course();
      for (const each of steps) {
        await course.take(each);
        expect(await course.seen()).toEqual(await course.expected());
      }
    }),
    { numRuns: 60 },
  );
});
