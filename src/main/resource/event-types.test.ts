import { describe, expect, expectTypeOf, test } from 'vitest';
import type { EventName } from './described-resource.ts';
import type { RestEvent } from './event.ts';
import { Resource } from './resource.ts';
import type { RestListener } from './rest-resource.ts';
import type { Titled } from './schema.fixture.ts';

/** The compiler reads these; nothing in them is to run. */
function compiled(...uses: (() => unknown)[]): void {
  for (const use of uses) expect(use).toBeTypeOf('function');
}

const listener: RestListener = () => {};

const DESCRIPTION = {
  get: { method: 'GET', url: '/photo/{id}', response: Resource.type<Titled>() },
  list: { method: 'GET', url: '/photos', response: Resource.type<readonly Titled[]>() },
} as const;

const photo = new Resource(DESCRIPTION);
const untold = new Resource({ get: { method: 'GET', url: '/' }, list: DESCRIPTION.list });

describe('the names of events', () => {
  test('are those of the actions, and those of all', () => {
    type Steps = 'Started' | 'Sent' | 'Progress' | 'Queued' | 'Success' | 'Error' | 'Reset';
    expectTypeOf<EventName<typeof DESCRIPTION>>().toEqualTypeOf<
      Uncapitalize<Steps> | `get${Steps}` | `list${Steps}`
    >();
    compiled(
      (): (() => void) => photo.addListener('getSuccess', listener),
      () => photo.addListener('success', listener),
      () => photo.removeListener('listProgress', listener),
      () => photo.addEventListener('listError', listener, { once: true }),
      () => photo.addEventListener('sent', { handleEvent: listener }),
      () => photo.removeEventListener('getStarted', null, true),
    );
  });

  test('are no others', () => {
    expectTypeOf<EventName<typeof DESCRIPTION>>().not.toEqualTypeOf<string>();
    compiled(
      // @ts-expect-error there is no such action
      () => photo.addListener('gotSuccess', listener),
      // @ts-expect-error
      () => photo.removeListener('gotSuccess', listener),
      // @ts-expect-error
      () => photo.addEventListener('gotSuccess', listener),
      // @ts-expect-error
      () => photo.removeEventListener('gotSuccess', listener),
      // @ts-expect-error names of events are written like this: `getSuccess`
      () => photo.addListener('getsuccess', listener),
      // @ts-expect-error
      () => photo.addListener('get', listener),
    );
  });
});

describe('an event', () => {
  test('brings the response of its action', () => {
    compiled(
      () =>
        photo.addListener('getSuccess', (event) => expectTypeOf(event).toEqualTypeOf<RestEvent<Titled>>()),
      () => photo.addListener('getSuccess', ({ response }) => response.title),
      () => photo.addListener('getSuccess', (event) => event.getData().title),
      () => photo.addEventListener('listSuccess', ({ response }) => response[0]?.title),
      () => photo.addEventListener('getSuccess', { handleEvent: ({ response }) => response.title }),
      // @ts-expect-error a list has no title
      () => photo.addListener('listSuccess', ({ response }) => response.title),
      // @ts-expect-error a listener must take what the event brings
      () => photo.addListener('listSuccess', (event: RestEvent<Titled>) => event.response.title),
    );
  });

  test('of all actions brings the response of any', () => {
    type Any = RestEvent<Titled | readonly Titled[]>;
    compiled(
      () => photo.addListener('success', (event) => expectTypeOf(event).toEqualTypeOf<Any>()),
      () => untold.addListener('success', (event) => expectTypeOf(event).toEqualTypeOf<RestEvent>()),
    );
  });

  test('of an error brings whatever came, and before the answer there is nothing', () => {
    compiled(
      () => photo.addListener('getError', (event) => expectTypeOf(event).toEqualTypeOf<RestEvent>()),
      () => photo.addListener('error', (event) => expectTypeOf(event).toEqualTypeOf<RestEvent>()),
      () => photo.addListener('getProgress', (event) => expectTypeOf(event).toEqualTypeOf<RestEvent<null>>()),
      () => photo.addListener('started', (event) => expectTypeOf(event).toEqualTypeOf<RestEvent<null>>()),
    );
  });

  test('is heard by whoever hears any', () => {
    compiled(
      () => photo.addListener('getSuccess', listener),
      () => photo.removeListener('getSuccess', listener),
      () => {
        for (const type of ['success', 'getError'] as const) photo.addListener(type, listener);
      },
    );
    expectTypeOf<RestEvent<Titled>>().toExtend<RestEvent>();
    expectTypeOf<RestEvent>().not.toExtend<RestEvent<Titled>>();
  });
});
