import { describe, expect, test } from 'vitest';
import { json } from '../../worker/platform/system.fixture.ts';
import { submission } from './invocation.fixture.ts';
import type { Session } from './session.ts';
import { HeardCall } from './stage.fixture.ts';
import { World } from './world.fixture.ts';

function put(session: Session, id: number, text: string): HeardCall {
  const heard = new HeardCall();
  const body = { kind: 'text', text } as const;
  session.call(submission(id, { method: 'PUT', body, policy: { retry: 2 } }), heard);
  return heard;
}

function lost(): never {
  throw new TypeError('the network has changed');
}

function withoutNetwork({ system }: World): never {
  system.online = false;
  return lost();
}

/**
 * The server is slow to answer a PUT, and a newer one to the same ends with a failure. Then the worker dies. Which texts
 * the server gets from then on.
 */
async function sentAfterDeath(newer: (world: World, nth: number) => Response): Promise<string[]> {
  const world = new World();
  const session = world.session();
  let [times, isDead] = [0, false];
  const sent: string[] = [];
  world.system.serve = async ({ init }) => {
    const text = typeof init.body === 'string' ? init.body : '';
    if (isDead) sent.push(text);
    if (text === 'newer') return newer(world, (times += 1));
    return isDead ? json({}) : new Promise<never>(() => {});
  };
  const one = put(session, 1, 'older');
  const other = put(session, 2, 'newer');
  await world.pass(500);
  expect([one.ends, other.ends]).toEqual([[], [expect.any(String)]]);
  world.system.online = true;
  isDead = true;
  await world.kill();
  await world.pass(1_000);
  session.close();
  return sent;
}

describe('a PUT that was out when its worker died is not sent again after a newer one', () => {
  test('whose answer was lost, and which was refused when it was repeated', async () => {
    expect(await sentAfterDeath((_world, nth) => (nth === 1 ? lost() : json({}, {}, 409)))).toEqual([]);
  });

  test('which a gateway answered with 504, and then refused', async () => {
    expect(await sentAfterDeath((_world, nth) => json({}, {}, nth === 1 ? 504 : 409))).toEqual([]);
  });

  test('that was out when the network went', async () => {
    expect(await sentAfterDeath(withoutNetwork)).toEqual([]);
  });
});

test('a PUT that was out when its worker died is sent again after a newer one that was refused', async () => {
  expect(await sentAfterDeath(() => json({}, {}, 409))).toEqual(['older']);
});

test('a PUT that waits to be repeated ends as soon as another tab has done a newer one, and no worker repeats it', async () => {
  const world = new World();
  const [one, other] = [world.session('one', 'page 1'), world.session('other', 'page 2')];
  const sent: unknown[] = [];
  world.system.serve = async ({ init: { body } }) => {
    sent.push(body);
    return body === 'older' ? json({}, { 'Retry-After': '1' }, 503) : json({});
  };
  const older = put(one, 1, 'older');
  await world.pass(0);
  const newer = put(other, 1, 'newer');
  await world.pass(500);
  expect([older.ends, newer.ends]).toEqual([['http'], [{}]]);
  await world.kill();
  await world.pass(2_000);
  expect(sent).toEqual(['older', 'newer']);
  one.close();
  other.close();
});
