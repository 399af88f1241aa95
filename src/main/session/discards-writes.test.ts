import { expect, test } from 'vitest';
import { json } from '../../worker/platform/system.fixture.ts';
import { submission } from './invocation.fixture.ts';
import type { Session } from './session.ts';
import { HeardCall } from './stage.fixture.ts';
import { World } from './world.fixture.ts';

/** Pages of one browser, with the shipped worker; the writes that their server has performed. */
class Stage {
  readonly world = new World();
  readonly performed: unknown[] = [];
  isAway = true;

  constructor() {
    this.world.system.serve = ({ init }) => {
      if (this.isAway) return json({}, {}, 503);
      this.performed.push(init.body);
      return json({}, {}, 201);
    };
  }

  open(name: string): Session {
    return this.world.session(`session of ${name}`, name);
  }

  signIn(session: Session, name: string): Promise<unknown> {
    return this.#end(session.signing.sign(name, { kind: 'sign-in', name }));
  }

  discard(session: Session): Promise<unknown> {
    return this.#end(session.signing.sign(null, { kind: 'sign-out', pendingWrites: 'discard' }));
  }

  /** A user of that page queues a write, which waits. */
  async queue(session: Session, name: string): Promise<void> {
    await this.signIn(session, name);
    const ticket = {
      entry: `entry-${name}`,
      key: `key-${name}`,
      resource: 'photos',
      action: 'add',
      lane: 'a',
    };
    const write = {
      method: 'POST',
      template: '/photos',
      body: { kind: 'text', text: `of ${name}` },
    } as const;
    session.call({ ...submission(1, write), ticket }, new HeardCall());
    await this.world.pass(500);
    const reply = await session.request({ kind: 'list-outbox', after: null, entries: null });
    if (reply.kind !== 'outbox-page' || reply.page.entries.length !== 1) throw new Error('It does not wait');
  }

  /** What is sent once the server is back, and that user is signed in. */
  async sentFor(name: string): Promise<unknown[]> {
    this.isAway = false;
    await this.signIn(this.open(`last page of ${name}`), name);
    await this.world.pass(60_000);
    return this.performed;
  }

  /** The code of the failure; null for none. */
  async #end(signing: Promise<void>): Promise<unknown> {
    const ended = signing.then(
      () => null,
      ({ code }) => code,
    );
    await this.world.pass(500);
    return ended;
  }
}

test('a sign-out that discards deletes what waits for the user of its page', async () => {
  const stage = new Stage();
  const page = stage.open('page');
  await stage.queue(page, 'mira');
  expect(await stage.discard(page)).toBeNull();
  expect(await stage.sentFor('mira')).toEqual([]);
});

test.each([true, false])(
  'so does that of a page that has just started; it has a worker: %s',
  async (hasWorker) => {
    const stage = new Stage();
    await stage.queue(stage.open('page'), 'mira');
    await stage.world.kill();
    const next = stage.open('next page');
    if (hasWorker) next.connect();
    await stage.world.pass(500);
    expect(await stage.discard(next)).toBeNull();
    expect(await stage.sentFor('mira')).toEqual([]);
  },
);

test('a page that has not heard that its user has gone discards nothing, and is told so', async () => {
  const stage = new Stage();
  const [frozen, other] = [stage.open('frozen'), stage.open('other')];
  await stage.signIn(frozen, 'anna');
  stage.world.setAway(true, 'frozen');
  await stage.queue(other, 'bert');
  const discarding = stage.discard(frozen);
  stage.world.setAway(false, 'frozen');
  expect(await discarding).toBe('identity-changed');
  expect(other.signing.identity.name).toBe('bert');
  expect(await stage.sentFor('bert')).toEqual(['of bert']);
});
