import type { Scenario } from '../scenario.ts';
import { connected } from './opening.ts';

/** The worker is stopped as the browser may at any time. */
export const STOPS: readonly Scenario[] = [
  goesUnnoticedBy('get'),
  goesUnnoticedBy('post'),
  {
    name: 'a stop under a GET has it sent again, under a POST is worker-lost and no second effect',
    needs: ['stop-worker'],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'success', 'error');
          const read = photo.result(photo.invoke('held', { key: 'read' }));
          const write = window.witness.ending(photo.result(photo.invoke('add', { key: 'write' }, 'a=1')));
          const sent = async (method: string): Promise<number> =>
            (await stage.journal('/hold')).filter((each) => each.method === method).length;
          await stage.until('both requests', async () => (await sent('GET')) + (await sent('POST')) === 2);
          await stage.stopWorker();
          stage.same('how the POST ends', (await write).code, 'worker-lost');
          await stage.until('the GET again', async () => (await sent('GET')) > 1);
          await stage.release('read', '"read"');
          stage.same('the answer of the GET', await read, 'read');
          stage.same('effects of the POST', await sent('POST'), 1);
          const told = heard.map(({ type, action }) => `${action} ${type}`);
          stage.same('the events', told, ['add error', 'held success']);
        },
      },
    ],
  },
  {
    name: 'loops survive a stop',
    needs: ['stop-worker'],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'versionedSuccess', 'heldSuccess', 'error');
          const ticks = (): number => heard.filter(({ action }) => action === 'versioned').length;
          const loop = photo.poll('versioned', {}, { interval: 300, hidden: 'continue' });
          photo.poll('get', { id: 'rare' }, { interval: 60_000, hidden: 'continue' });
          photo.longPoll('held', { key: 'news' }, { hidden: 'continue' });
          await stage.until('ticks', () => ticks() >= 2);
          // In Firefox a worker dies of silence, and the page's receipt for each tick is a message to it.
          loop.interval = 8_000;
          await stage.stopWorker();
          const before = ticks();
          await stage.until('a tick of the next worker', () => ticks() > before);
          loop.interval = 300;
          await stage.until('further ticks', () => ticks() >= before + 3);
          await stage.until('the news', async () => {
            await stage.release('news', '"after"');
            return heard.some(({ response }) => response === 'after');
          });
          stage.same(
            'changes',
            heard.filter(({ action, changed }) => action === 'versioned' && changed).length,
            1,
          );
          stage.same(
            'failures',
            heard.filter(({ code }) => code !== null),
            [],
          );
          stage.same('a loop that was not due', (await stage.journal('/photo/rare')).length, 1);
        },
      },
    ],
  },
];

function goesUnnoticedBy(action: 'get' | 'post'): Scenario {
  return {
    name: `a stop between two calls goes unnoticed by a ${action.toUpperCase()}`,
    needs: ['stop-worker'],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'success', 'error');
          const { connect } = window.offstage;
          await photo.result(photo.invoke(action, { id: 1 }));
          const { instance } = await connect().inspect();
          await stage.stopWorker();
          await photo.result(photo.invoke(action, { id: 2 }));
          stage.check('another worker', (await connect().inspect()).instance !== instance, instance);
          const types = heard.map(({ type }) => type);
          stage.same('the events', types, ['success', 'success']);
          const asked = await Promise.all([1, 2].map((id) => stage.journal(`/photo/${id}`)));
          const counts = asked.map(({ length }) => length);
          stage.same('requests', counts, [1, 1]);
        },
      },
    ],
  };
}
