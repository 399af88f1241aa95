import { isHeld } from '../backstage.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { connected } from './opening.ts';

export const PAGES: readonly Scenario[] = [
  {
    name: 'a first visit is served, without a controlling worker',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          stage.same('controlled at first', stage.controlled, false);
          await served(stage);
          const { instance } = await window.offstage.connect().inspect();
          stage.check('the worker holds the lock of its life', await isHeld(instance), instance);
        },
      },
      {
        enter: 'reload',
        play: async (stage) => {
          stage.same('controlled at the next visit', stage.controlled, true);
          await served(stage);
        },
      },
    ],
  },
  {
    name: 'a hard reload, which no worker controls, is served',
    needs: ['hard-reload'],
    acts: [
      { enter: 'open', play: served },
      {
        enter: 'hard-reload',
        play: async (stage) => {
          stage.same('controlled', stage.controlled, false);
          await served(stage);
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'getSuccess', 'error');
          const loop = photo.poll('get', { id: 'loop' }, { interval: 500, hidden: 'continue' });
          // Longer than the worker's look at who is still there: an uncontrolled page is not taken for gone.
          await stage.pause(10_000);
          const before = heard.length;
          await stage.until('further ticks', () => heard.length >= before + 3);
          loop.stop();
          stage.same(
            'failures',
            heard.filter(({ code }) => code !== null),
            [],
          );
        },
      },
    ],
  },
  {
    name: 'two pages each get their own',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'getSuccess', 'error');
          const id = photo.invoke('held', { key: 'host' });
          const loop = photo.poll('get', { id: 'host' }, { interval: 500, hidden: 'continue' });
          await stage.until('ticks', () => heard.length >= 2);
          const guest = await stage.invite();
          await stage.release('host', '"for the host"');
          const heldForHost = await photo.result(id);
          const before = heard.length;
          await stage.until('further ticks', () => heard.length >= before + 2);
          loop.stop();
          stage.same('what waited here', heldForHost, 'for the host');
          stage.same('what waited there', guest, 'for the guest');
          const urls = new Set(heard.map(({ response }) => Object(response).url));
          stage.same('the ticks here', [...urls], ['/photo/host']);
        },
      },
    ],
    guest: async (stage) => {
      const { photo } = await connected();
      const heard = window.witness.record(photo, 'getSuccess', 'error');
      const id = photo.invoke('held', { key: 'guest' });
      photo.poll('get', { id: 'guest' }, { interval: 500, hidden: 'continue' });
      await stage.until('ticks', () => heard.length >= 2);
      await stage.release('guest', '"for the guest"');
      stage.keep(await photo.result(id));
      const { pages } = await window.offstage.connect().inspect();
      stage.same('the pages that the worker knows', pages, 2);
      const urls = new Set(heard.map(({ response }) => Object(response).url));
      stage.same('the ticks there', [...urls], ['/photo/guest']);
    },
  },
  {
    name: 'the loops of a page that is gone end within 10 s',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'getSuccess', 'error');
          photo.poll('get', { id: 'host' }, { interval: 500, hidden: 'continue' });
          await stage.invite();
          await stage.pause(10_000);
          const before = (await stage.journal('/photo/guest')).length;
          const ticks = heard.length;
          await stage.pause(2_000);
          stage.check(
            'the loop of the page that is there goes on',
            heard.length > ticks,
            heard.length - ticks,
          );
          const after = (await stage.journal('/photo/guest')).length;
          stage.check('the guest asked', before > 0, before);
          stage.same('requests for nobody', after - before, 0);
        },
      },
    ],
    guest: async (stage) => {
      const { photo } = await connected();
      const heard = window.witness.record(photo, 'getSuccess', 'error');
      photo.poll('get', { id: 'guest' }, { interval: 200, hidden: 'continue' });
      await stage.until('ticks', () => heard.length >= 2);
      stage.same(
        'failures',
        heard.filter(({ code }) => code !== null),
        [],
      );
    },
  },
];

async function served(stage: Stage): Promise<void> {
  const { photo } = await connected();
  const answer = await photo.result(photo.invoke('get', { id: 1 }));
  stage.same('the answer', Object(answer).url, '/photo/1');
}
