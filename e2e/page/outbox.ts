import { connect, Resource } from 'offstage';

/** How the calls of a page that queues writes have ended. */
export interface Queued {
  /** The numbers of the writes that the page has been told are queued. */
  readonly acknowledged: readonly number[];
  /** How many calls have not ended in time. */
  readonly hung: number;
}

const resource = new Resource(
  {
    write: {
      method: 'POST',
      url: '/outbox/{lane}',
      headers: { 'Content-Type': 'application/json' },
      offline: 'queue',
      lane: ({ lane }) => (typeof lane === 'string' ? lane : ''),
    },
  },
  { name: 'writes' },
);

/** Queues writes, by turns in each of the lanes; resolves once all are acknowledged, or after so many milliseconds. */
export async function queue(
  from: number,
  count: number,
  lanes: readonly string[],
  patience: number,
  acknowledge: (number: number) => void = () => {},
): Promise<Queued> {
  const acknowledged: number[] = [];
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const ends = numbers.map(async (number) => {
    const lane = lanes[number % lanes.length] ?? '';
    const end: unknown = await resource.result(resource.write({ lane }, { number }));
    if (Object(end).kind !== 'queued') return;
    acknowledged.push(number);
    acknowledge(number);
  });
  const settled = ends.map((end) =>
    end.then(
      () => true,
      () => true,
    ),
  );
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), patience));
  const inTime = await Promise.all(settled.map((each) => Promise.race([each, late])));
  return { acknowledged, hung: inTime.filter((each) => !each).length };
}

/** What came of each that `begin` has begun; null as long as it goes on. */
export const begun: (Queued | null)[] = [];

/** Queues writes like `queue`, and returns at once: the place in `begun`. */
export function begin(...given: Parameters<typeof queue>): number {
  const index = begun.push(null) - 1;
  void queue(...given).then((queued) => (begun[index] = queued));
  return index;
}

/** The numbers of the writes that wait, by their states. */
export async function waiting(): Promise<Record<string, number[]>> {
  const states: Record<string, number[]> = {};
  for (const { state, data } of await connect().outbox.list())
    (states[state] ??= []).push(Number(Object(data).number));
  return states;
}

export function discardAll(): Promise<unknown> {
  const { outbox } = connect();
  return outbox.list().then((all) => Promise.all(all.map(({ id }) => outbox.discard(id))));
}

/** What `listen` has heard so far. */
export const heard: [string, number][] = [];

/** Listens to what the outbox tells from now on. */
export function listen(): { readonly heard: [string, number][] } {
  for (const type of ['done', 'review', 'conflict'])
    connect().outbox.addEventListener(type, (event) =>
      heard.push([type, Number(Object(event).entry.data?.number)]),
    );
  return { heard };
}

/** How often what `provide` has given was asked for. */
export const asked = { times: 0 };

/** Gives credentials that its server refuses, and counts how often it is asked. */
export function provide(): void {
  connect().credentials(() => {
    asked.times += 1;
    return { headers: { Authorization: 'Bearer old' } };
  });
}

export async function retryAll(): Promise<void> {
  const { outbox } = connect();
  for (const { id } of await outbox.list()) await outbox.retry(id).catch(() => {});
}

/** The types of the events of this page's writes from now on. */
export function record(): string[] {
  const types: string[] = [];
  for (const type of ['writeQueued', 'writeSuccess', 'writeError'] as const)
    resource.addListener(type, ({ type: told }) => types.push(told));
  return types;
}

const things = new Resource(
  {
    add: {
      method: 'POST',
      url: '/things',
      headers: { 'Content-Type': 'application/json' },
      offline: 'queue',
      creates: '/thing/id',
    },
    change: { method: 'PUT', url: '/things/{id}', offline: 'queue' },
  },
  { name: 'things' },
);

/** Creates a thing, and uses it at once: in a URL, in a form and in a form with a file. The temporary id. */
export async function addAndUse(): Promise<string> {
  const end: unknown = await things.result(things.add(null, { title: 'Dusk' }));
  const temporaryId = String(Object(end).entry.temporaryId);
  const form = new FormData();
  form.append('parent', temporaryId);
  form.append('cover', new Blob([new Uint8Array([0, 255, 13, 10])]), 'cover.bin');
  await things.result(things.change({ id: temporaryId }, { parent: temporaryId }));
  await things.result(things.change({ id: temporaryId }, form));
  return temporaryId;
}

/** What is told as renamed from now on: the temporary id and the id. */
export function listenToNames(): unknown[] {
  const names: unknown[] = [];
  connect().outbox.addEventListener('renamed', ({ temporaryId, id }) => names.push([temporaryId, id]));
  return names;
}
