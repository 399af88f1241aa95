import { expect, test } from 'vitest';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { News } from './news.ts';
import { reportOf } from './write.ts';
import { write } from './write.fixture.ts';

/** News, and the messages that it has told: the places of writes, and `count`. */
function newsOn(clock: VirtualClock): { readonly news: News; readonly told: string[] } {
  const told: string[] = [];
  const news = new News({
    clock,
    tell: (writes) => told.push(writes.map(({ key }) => key).join()),
    count: () => told.push('count'),
  });
  return { news, told };
}

function end(place: number): ReturnType<typeof reportOf> {
  return reportOf(write(place, { state: 'done' }), null);
}

test('what becomes of a write goes at once, with how many wait then; what comes in the same turn goes along', async () => {
  const { news, told } = newsOn(new VirtualClock());
  news.add(end(1));
  news.add(end(2));
  await settle();
  expect(told).toEqual(['key 1,key 2', 'count']);
  news.recount();
  await settle();
  expect(told).toEqual(['key 1,key 2', 'count', 'count']);
});

test('a queue that is sent quickly is told a frame at a time, in its order, and nothing is left out', async () => {
  const clock = new VirtualClock();
  const { news, told } = newsOn(clock);
  for (let place = 1; place <= 100; place += 1) {
    news.add(end(place));
    await clock.advance(1);
  }
  await clock.advance(16);
  const messages = told.filter((each) => each !== 'count');
  expect(messages.join()).toBe(Array.from({ length: 100 }, (_, index) => `key ${index + 1}`).join());
  expect(messages.length).toBeLessThan(25);
  expect(told.at(-1)).toBe('count');
  await clock.advance(1_000);
  const before = told.length;
  news.add(end(101));
  await settle();
  expect(told.slice(before)).toEqual(['key 101', 'count']);
});

test('what is gathered is told at once where its worker gives way', async () => {
  const { news, told } = newsOn(new VirtualClock());
  for (let place = 1; place <= 20; place += 1) {
    news.add(end(place));
    await settle();
  }
  expect(told.at(-2)).toBe('key 16');
  news.flush();
  expect(told.at(-2)).toBe('key 17,key 18,key 19,key 20');
});
