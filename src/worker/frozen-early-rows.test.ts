import { expect, test } from 'vitest';
import { failed } from './contracts/outcome.fixture.ts';
import type { EarlyChunk } from './contracts/read-body.ts';
import { Deferred } from './platform/waiting.ts';
import { newcomer, publisherTo } from './states/publisher.fixture.ts';
import { Subscribers } from './states/state-audience.ts';
import { Hub } from './delivery/hub.ts';
import { settle, VirtualClock } from './platform/virtual-clock.fixture.ts';

/** A loop with one page, which takes what it is told as `deliver` says. */
function stage(deliver: () => Promise<void>) {
  const clock = new VirtualClock();
  const hub = new Hub('life', (ms, signal) => clock.sleep(ms, signal));
  const sent: string[] = [];
  hub.open('anna', {
    deliver: (batch) => {
      for (const each of batch) sent.push(each.kind === 'chunk' ? each.text : each.kind);
      return deliver();
    },
    tell: (batch) => {
      for (const each of batch) sent.push(each.kind === 'chunk' ? each.text : each.kind);
    },
  });
  const publisher = publisherTo({
    tell: (...told) => hub.tell(...told),
    publish: (...told) => hub.publish(...told),
  });
  const page = newcomer();
  const subscribers = new Subscribers();
  subscribers.add(page);
  return { publisher, page, subscribers, sent };
}

test('a page that takes nothing for a while is not then told the rows of every answer that failed meanwhile', async () => {
  const frozen = new Deferred();
  const { publisher, subscribers, sent } = stage(() => frozen.promise);
  for (let answer = 0; answer < 50; answer += 1) {
    const bytes = new ArrayBuffer(1);
    const take = publisher.early(subscribers);
    for (let index = 0; index < 20; index += 1)
      take?.({ bytes, index, path: [], text: () => `${answer}/${index}` } satisfies EarlyChunk);
    publisher.toAll(subscribers, {
      outcome: failed('network'),
      advanced: false,
      isCatchUp: false,
      entry: null,
    });
    await settle();
  }
  frozen.resolve();
  for (let turn = 0; turn < 500; turn += 1) await settle();
  expect(sent.length).toBeLessThan(60);
});

test('the bytes of an answer that was told in part and failed do not stay with a page that is hidden by then', () => {
  const { publisher, subscribers, page } = stage(async () => {});
  page.heardAt = 0;
  page.pace = { kind: 'poll', interval: 1_000, hidden: 'pause' };
  const take = publisher.early(subscribers);
  take?.({ bytes: new ArrayBuffer(1), index: 0, path: [], text: () => '[1]' });
  page.hidden = true;
  publisher.toAll(subscribers, {
    outcome: failed('network'),
    advanced: false,
    isCatchUp: false,
    entry: null,
  });
  expect(page.told).toBeNull();
});
