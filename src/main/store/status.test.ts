import { expect, test } from 'vitest';
import { RestError } from '../error.ts';
import { Status } from './status.ts';
import type { Beside } from './status.ts';

class Stage {
  now = 1_000_000;
  beside: Beside = { nextPollAt: null, pendingWrites: 0 };
  readonly status: Status = new Status(
    () => this.now,
    () => this.beside,
  );
}

const ERROR = new RestError({ code: 'offline', message: 'no network' });

test('before the first answer there is nothing', () => {
  expect(new Stage().status.read()).toEqual({
    servedFrom: null,
    stale: false,
    age: null,
    nextPollAt: null,
    pendingWrites: 0,
    error: null,
  });
});

test('the age grows as time passes, and a clock that is set back makes none negative', () => {
  const stage = new Stage();
  stage.status.confirm({ servedFrom: 'cache', stale: true, age: 1.5 });
  expect(stage.status.read()).toMatchObject({ servedFrom: 'cache', stale: true, age: 1.5 });
  stage.now += 2_000;
  expect(stage.status.read().age).toBe(3.5);
  stage.now -= 60_000;
  expect(stage.status.read().age).toBe(0);
});

test('an answer ends the error, another error takes its place', () => {
  const { status } = new Stage();
  status.ended(ERROR);
  expect(status.read().error).toBe(ERROR);
  status.confirm({ servedFrom: 'network', stale: false, age: 0 });
  expect(status.read().error).toBeNull();
});

test('it is made anew at each read, and nobody can change it', () => {
  const { status } = new Stage();
  expect(status.read()).not.toBe(status.read());
  expect(Object.isFrozen(status.read())).toBe(true);
});

test('each change is told once; the passing of time is none', () => {
  const stage = new Stage();
  const { status } = stage;
  const changes = (): boolean[] => [status.hasChanged(), status.hasChanged()];
  expect(changes()).toEqual([false, false]);
  status.confirm({ servedFrom: 'network', stale: false, age: 0 });
  expect(changes()).toEqual([true, false]);
  stage.now += 5_000;
  expect(changes()).toEqual([false, false]);
  const steps = [
    (): void => status.confirm({ servedFrom: 'network', stale: false, age: 0 }),
    (): void => status.confirm({ servedFrom: 'cache', stale: false, age: 0 }),
    (): void => status.confirm({ servedFrom: 'cache', stale: true, age: 0 }),
    (): void => status.ended(ERROR),
    (): void => status.ended(null),
    (): void => void (stage.beside = { nextPollAt: 7, pendingWrites: 0 }),
    (): void => void (stage.beside = { nextPollAt: 7, pendingWrites: 1 }),
  ];
  for (const step of steps) {
    step();
    expect(changes()).toEqual([true, false]);
  }
});

test('once it has ended it keeps what it is', () => {
  const stage = new Stage();
  stage.beside = { nextPollAt: 7, pendingWrites: 2 };
  stage.status.end();
  stage.beside = { nextPollAt: 8, pendingWrites: 3 };
  expect(stage.status.read()).toMatchObject({ nextPollAt: 7, pendingWrites: 2 });
});
