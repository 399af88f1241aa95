import { describe, expect, test } from 'vitest';
import type { CredentialsReply } from '../../shared/credentials.ts';
import { PROVIDER_DEADLINE, PROVIDER_SILENCE, RENEWAL_PATIENCE } from '../../shared/deadlines.ts';
import type { CredentialsWanted } from '../../shared/delivery.ts';
import type { Credentials, Provided } from '../contracts/credentials.ts';
import { settle, stateOf, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { HeldCredentials } from './credentials.ts';

const ORIGIN = 'https://api.example';
const URL = `${ORIGIN}/photo/1`;

/** Pages whose providers answer when told to. */
class Stage {
  readonly clock = new VirtualClock();
  readonly asked: { readonly page: string; readonly wanted: CredentialsWanted }[] = [];
  readonly strangers = new Set<string>();
  online = true;
  #questions = 0;
  readonly held = new HeldCredentials({
    clock: this.clock,
    isOnline: () => this.online,
    uuid: () => `question ${(this.#questions += 1)}`,
    tell: (page, delivery) => {
      if (delivery.kind === 'credentials-wanted') this.asked.push({ page, wanted: delivery });
    },
    isStranger: (page) => this.strangers.has(page),
  });

  constructor(...pages: readonly string[]) {
    for (const page of pages) this.held.setOrigins(page, [ORIGIN]);
  }

  /** Which pages have been asked, and why. */
  get questions(): string[] {
    return this.asked.map(({ page, wanted }) => `${page}: ${wanted.reason}`);
  }

  /** The page that was asked last, or another one, says something. */
  reply(reply: CredentialsReply, page = this.asked.at(-1)?.page ?? ''): Promise<void> {
    this.held.hear(page, this.asked.at(-1)?.wanted.question ?? '', reply);
    return settle();
  }

  give(token: string, expiresIn: number | null = null): Promise<void> {
    const expiresAt = expiresIn === null ? null : this.clock.now() + expiresIn;
    return this.reply({ kind: 'given', headers: [['Authorization', token]], expiresAt });
  }

  /** Has a token held, and forgets what was asked for it. */
  async holding(token: string, expiresIn: number | null = null): Promise<Credentials> {
    const providing = this.held.provide(URL);
    await this.give(token, expiresIn);
    this.asked.length = 0;
    const provided = await providing;
    if (provided.kind !== 'given') throw new Error(provided.kind);
    return provided.credentials;
  }
}

function gist(provided: Provided): string | undefined {
  switch (provided.kind) {
    case 'given':
      return provided.credentials.headers[0]?.[1];
    case 'failed':
      return `${provided.failure.code}: ${provided.failure.message}`;
    default:
      return provided.kind;
  }
}

async function gistOf(providing: Promise<Provided>): Promise<string | undefined> {
  return gist(await providing);
}

describe('a request gets', () => {
  test('nothing where no page provides for its origin', async () => {
    const { held, asked } = new Stage('a');
    expect(await gistOf(held.provide('https://other.example/'))).toBe('none');
    expect(asked).toEqual([]);
  });

  test('what the provider gives; one question is for all that ask meanwhile, and for later ones', async () => {
    const stage = new Stage('a', 'b');
    const requests = [stage.held.provide(URL), stage.held.provide(`${ORIGIN}/other`)];
    await settle();
    expect(stage.asked).toEqual([
      {
        page: 'a',
        wanted: { kind: 'credentials-wanted', question: 'question 1', origin: ORIGIN, reason: 'first' },
      },
    ]);
    await stage.give('one');
    expect(await Promise.all(requests.map(gistOf))).toEqual(['one', 'one']);
    expect(await gistOf(stage.held.provide(URL))).toBe('one');
    expect(stage.asked.length).toBe(1);
  });

  test('what the failure of the provider was, and the next request asks again', async () => {
    const stage = new Stage('a');
    const request = stage.held.provide(URL);
    await stage.reply({ kind: 'failed', message: 'No session' });
    expect(await gistOf(request)).toBe(`credentials: No credentials for ${ORIGIN}: No session`);
    void stage.held.provide(URL);
    expect(stage.questions).toEqual(['a: first', 'a: first']);
  });

  test('credentials of its own origin alone', async () => {
    const stage = new Stage('a');
    stage.held.setOrigins('a', [ORIGIN, 'https://other.example']);
    await stage.holding('one');
    void stage.held.provide('https://other.example/');
    expect(stage.asked).toMatchObject([{ wanted: { origin: 'https://other.example', reason: 'first' } }]);
  });
});

describe('credentials that expire', () => {
  test('are asked for again at 80 % of their life, and the request goes with the new ones', async () => {
    const stage = new Stage('a');
    await stage.holding('one', 100_000);
    await stage.clock.advance(79_999);
    expect(await gistOf(stage.held.provide(URL))).toBe('one');
    expect(stage.asked).toEqual([]);
    await stage.clock.advance(1);
    const request = stage.held.provide(URL);
    await stage.give('two', 100_000);
    expect(await gistOf(request)).toBe('two');
    expect(stage.questions).toEqual(['a: expired']);
  });

  test('serve on while the provider fails, or is slow', async () => {
    const stage = new Stage('a');
    await stage.holding('one', 100_000);
    await stage.clock.advance(80_000);
    const request = stage.held.provide(URL);
    await stage.reply({ kind: 'failed', message: 'offline' });
    expect(await gistOf(request)).toBe('one');

    const impatient = stage.held.provide(URL);
    await stage.reply({ kind: 'asking' });
    await stage.clock.advance(RENEWAL_PATIENCE - 1);
    expect(await stateOf(impatient)).toBe('pending');
    await stage.clock.advance(1);
    expect(await gistOf(impatient)).toBe('one');
    await stage.give('two');
    expect(await gistOf(stage.held.provide(URL)), 'the answer still counts').toBe('two');
  });

  test('do not serve once they have expired', async () => {
    const stage = new Stage('a');
    await stage.holding('one', 1_000);
    await stage.clock.advance(1_000);
    const request = stage.held.provide(URL);
    await stage.reply({ kind: 'failed', message: 'offline' });
    expect(await gistOf(request)).toContain('offline');
  });

  test('are asked for at each request where they had expired when they were given', async () => {
    const stage = new Stage('a');
    await stage.holding('one', 0);
    const request = stage.held.provide(URL);
    await stage.give('two', 0);
    expect(await gistOf(request)).toBe('two');
    expect(stage.questions).toEqual(['a: expired']);
  });
});

describe('after a 401', () => {
  test('one question is asked, however many requests were refused', async () => {
    const stage = new Stage('a');
    const refused = await stage.holding('one');
    const requests = [stage.held.renew(URL, refused), stage.held.renew(URL, refused)];
    await settle();
    expect(stage.questions).toEqual(['a: refused']);
    await stage.give('two');
    expect(await Promise.all(requests.map(gistOf))).toEqual(['two', 'two']);
    expect(await gistOf(stage.held.renew(URL, refused)), 'a late 401 to the old ones').toBe('two');
    expect(stage.asked.length).toBe(1);
  });

  test('what was refused is not sent again, though the provider fails', async () => {
    const stage = new Stage('a');
    const refused = await stage.holding('one', 100_000);
    const request = stage.held.renew(URL, refused);
    await stage.reply({ kind: 'failed', message: 'gone' });
    expect(await gistOf(request)).toContain('gone');
    const next = stage.held.provide(URL);
    expect(stage.questions).toEqual(['a: refused', 'a: refused']);
    await stage.give('two');
    expect(await gistOf(next)).toBe('two');
  });
});

describe('the page that is asked', () => {
  test('is a visible one', async () => {
    const stage = new Stage('a', 'b');
    stage.held.setHidden('a', true);
    void stage.held.provide(URL);
    expect(stage.questions).toEqual(['b: first']);
  });

  test('is another one where it is gone, though it had asked its provider', async () => {
    const stage = new Stage('a', 'b');
    const request = stage.held.provide(URL);
    await stage.reply({ kind: 'asking' });
    stage.held.leave('a');
    await settle();
    expect(stage.questions).toEqual(['a: first', 'b: first']);
    await stage.give('two');
    expect(await gistOf(request)).toBe('two');
  });

  test('is another one where it does not hear, but not where its provider takes long', async () => {
    const stage = new Stage('a', 'b');
    const request = stage.held.provide(URL);
    await stage.clock.advance(PROVIDER_SILENCE);
    expect(stage.questions).toEqual(['a: first', 'b: first']);
    await stage.reply({ kind: 'asking' });
    await stage.clock.advance(PROVIDER_SILENCE * 2);
    expect(stage.asked.length).toBe(2);
    await stage.reply({ kind: 'given', headers: [['Authorization', 'late']], expiresAt: null }, 'a');
    expect(await gistOf(request), 'the first answer counts').toBe('late');
  });

  test('is another one where its provider was removed', async () => {
    const stage = new Stage('a', 'b');
    void stage.held.provide(URL);
    stage.held.setOrigins('a', []);
    await settle();
    expect(stage.questions).toEqual(['a: first', 'b: first']);
  });

  test('may come later, as after a reload', async () => {
    const stage = new Stage('a');
    const request = stage.held.provide(URL);
    stage.held.leave('a');
    await stage.clock.advance(5_000);
    expect(await stateOf(request)).toBe('pending');
    stage.held.setOrigins('b', [ORIGIN]);
    await settle();
    await stage.give('one', null);
    expect(await gistOf(request)).toBe('one');
  });

  test('is waited for no longer than its deadline', async () => {
    const stage = new Stage('a');
    const request = stage.held.provide(URL);
    await stage.reply({ kind: 'asking' });
    await stage.clock.advance(PROVIDER_DEADLINE - 1);
    expect(await stateOf(request)).toBe('pending');
    await stage.clock.advance(1);
    expect(await gistOf(request)).toBe(
      `credentials: No credentials for ${ORIGIN}: no page gave any within 30000 ms`,
    );
  });

  test('is not one that was not asked', async () => {
    const stage = new Stage('a', 'b');
    const request = stage.held.provide(URL);
    await stage.reply({ kind: 'given', headers: [['Authorization', 'forged']], expiresAt: null }, 'b');
    expect(await stateOf(request)).toBe('pending');
  });
});

describe('a stranger', () => {
  test('is not asked, and counts for nobody who provides', async () => {
    const stage = new Stage('a');
    stage.strangers.add('a');
    expect([stage.held.isProvided(URL), await gistOf(stage.held.provide(URL))]).toEqual([false, 'none']);
    expect(stage.asked).toEqual([]);
  });

  test('is asked once it is known for whom it is, for a request that waits', async () => {
    const stage = new Stage('a');
    stage.strangers.add('b');
    expect(stage.held.setOrigins('b', [ORIGIN])).toBe(false);
    const request = stage.held.provide(URL);
    stage.held.leave('a');
    await settle();
    expect(stage.questions).toEqual(['a: first']);
    stage.strangers.delete('b');
    expect(stage.held.recognized('b')).toBe(true);
    await settle();
    expect(stage.questions).toEqual(['a: first', 'b: first']);
    await stage.give('two');
    expect(await gistOf(request)).toBe('two');
  });

  test('is not heard, though it was asked before it became one', async () => {
    const stage = new Stage('a', 'b');
    const request = stage.held.provide(URL);
    await stage.reply({ kind: 'asking' });
    stage.strangers.add('a');
    await stage.give("another user's");
    expect(await stateOf(request)).toBe('pending');
    stage.held.setOrigins('a', [ORIGIN]);
    await settle();
    expect(stage.questions).toEqual(['a: first', 'b: first']);
    await stage.give('two');
    expect(await gistOf(request)).toBe('two');
  });

  test('ends no question of others as it stops providing', async () => {
    const stage = new Stage('a');
    stage.strangers.add('b');
    stage.held.setOrigins('b', [ORIGIN]);
    const request = stage.held.provide(URL);
    stage.held.leave('a');
    stage.held.setOrigins('b', []);
    expect(await stateOf(request)).toBe('pending');
  });
});

describe('nothing is held', () => {
  test('after the last provider of its origin was removed, or is gone', async () => {
    const stage = new Stage('a', 'b');
    await stage.holding('one');
    stage.held.leave('a');
    expect(await gistOf(stage.held.provide(URL))).toBe('one');
    stage.held.setOrigins('b', []);
    expect(await gistOf(stage.held.provide(URL))).toBe('none');
    stage.held.setOrigins('b', [ORIGIN]);
    void stage.held.provide(URL);
    expect(stage.questions).toEqual(['b: first']);
  });

  test('and a request that waits fails where the last provider is removed', async () => {
    const stage = new Stage('a');
    const request = stage.held.provide(URL);
    stage.held.setOrigins('a', []);
    expect(await gistOf(request)).toContain('the provider was removed');
  });

  test('after drop(), and what was on its way does not count', async () => {
    const stage = new Stage('a');
    await stage.holding('one');
    stage.held.drop();
    const request = stage.held.provide(URL);
    expect(stage.questions).toEqual(['a: first']);
    stage.held.drop();
    expect(await gistOf(request)).toContain('dropped');
    await stage.give('of the one before');
    const next = stage.held.provide(URL);
    expect(stage.asked.length).toBe(2);
    await stage.give('two');
    expect(await gistOf(next)).toBe('two');
  });
});
