import { expect, test } from 'vitest';
import { OneAtATime } from './part-store.ts';

class Stage {
  begun = 0;
  finish: () => void = () => {};
  readonly work: OneAtATime = new OneAtATime(() => {
    this.begun += 1;
    return new Promise((resolve) => {
      this.finish = resolve;
    });
  });

  async finished(): Promise<void> {
    this.finish();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('what is asked for meanwhile is done once more, after it', async () => {
  const stage = new Stage();
  for (let times = 0; times < 3; times += 1) stage.work.ask();
  expect(stage.begun).toBe(1);
  await stage.finished();
  expect(stage.begun).toBe(2);
  await stage.finished();
  expect(stage.begun).toBe(2);
  stage.work.ask();
  expect(stage.begun).toBe(3);
});

test('after the end nothing more comes', async () => {
  const stage = new Stage();
  stage.work.ask();
  stage.work.ask();
  stage.work.end();
  await stage.finished();
  expect(stage.begun).toBe(1);
});
