import { expect, test } from 'vitest';
import { Locks } from './locks.ts';
import { Timeline } from './timeline.ts';
import type { Owner } from './timeline.ts';

test('a worker that is gone takes no lock from the one that lives', async () => {
  const timeline = new Timeline();
  const locks = new Locks(timeline);
  const living: Owner = { state: 'running' };
  const gone: Owner = { state: 'gone' };
  let ended = '';
  const end = (): void => {
    ended = 'taken away';
  };

  locks
    .of(() => living)
    .request('engine', () => new Promise(() => {}))
    .then(end, end);
  await timeline.pass(10);
  void locks.of(() => gone).request('engine', { steal: true }, () => new Promise(() => {}));
  await timeline.pass(10);

  expect(ended).toBe('');
});
