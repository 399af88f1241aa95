import { describe, expect, test } from 'vitest';
import { answered } from '../contracts/outcome.fixture.ts';
import { following, said } from '../feeds/feed.fixture.ts';
import { at, Feeds, numbers } from './feeds.fixture.ts';

/** A feed whose answers from the second on must not be stored; its server then is silent. */
function feeds(last: number): Feeds {
  const stage = new Feeds();
  stage.reply = (nth) => ({
    after: nth > last ? 25_000 : 100,
    outcome: nth > last ? said(null, 204) : answerOf(nth),
  });
  return stage;
}

function answerOf(nth: number): ReturnType<typeof answered> {
  const headers = nth > 1 ? ([['Cache-Control', 'no-store']] as const) : [];
  return answered({ answer: { status: 200, headers, body: { kind: 'value', value: { last: nth } } } });
}

describe('a feed whose answers must not be stored', () => {
  test('is told to all pages, whenever they take it, and nothing of it is stored', async () => {
    const stage = feeds(3);
    stage.join('anna', following());
    await stage.clock.advance(250);
    stage.join('bert', following());
    await stage.clock.advance(1_000);
    expect(stage.heardBy('anna')).toEqual(numbers(1, 2, 3));
    expect(stage.heardBy('bert')).toContainEqual({ last: 3 });
    expect(await stage.stored.find('key')).toMatchObject({ cursor: '1', last: 0 });
    expect(await stage.stored.entries('key', 0, 10)).toEqual([]);
  });

  test('goes on from the stored cursor in the next life, where its pages hear of the gap', async () => {
    const stage = feeds(3);
    stage.join('anna', following());
    await stage.clock.advance(1_000);
    stage.takeAll();
    const position = stage.positionOf('anna');
    stage.kill();
    stage.told.length = 0;
    stage.join('anna', following(at(position)));
    await stage.clock.advance(1_000);
    expect(stage.places.at(-1)).toBe('1');
    expect(stage.heardBy('anna')).toEqual(['reset']);
  });
});
