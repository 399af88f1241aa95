import type { Scenario } from '../scenario.ts';
import { bytesOf, connected } from './opening.ts';

export const STORAGE: readonly Scenario[] = [
  {
    name: 'while the server is down the stored answer is served, stale',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'success', 'error');
          await photo.result(photo.invoke('get', { id: 1 }));
          await stage.down();
          await photo.result(photo.invoke('get', { id: 1 }));
          const unknown = await window.witness.ending(photo.result(photo.invoke('get', { id: 2 })));
          await stage.up();
          await photo.result(photo.invoke('get', { id: 1 }));
          const told = heard.map(({ servedFrom, stale, code }) => [servedFrom, stale, code]);
          stage.same('what is told', told, [
            ['network', false, null],
            ['cache', true, null],
            [null, false, 'network'],
            ['network', false, null],
          ]);
          stage.same('what was never asked before', unknown.code, 'network');
        },
      },
    ],
  },
  {
    name: 'stored answers, binary ones too, outlive the page',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          await photo.result(photo.invoke('binary'));
          await photo.result(photo.invoke('get', { id: 1 }));
          const { cache } = await window.offstage.connect().inspect();
          stage.same('the storage', [cache.mode, cache.entries], ['indexeddb', 2]);
        },
      },
      {
        enter: 'reload',
        play: async (stage) => {
          const { photo } = await connected();
          await stage.down();
          const heard = window.witness.record(photo, 'success', 'error');
          const bytes = await bytesOf(await photo.result(photo.invoke('binary')));
          const got = await photo.result(photo.invoke('get', { id: 1 }));
          await stage.up();
          stage.same('the stored bytes', bytes, [...Array.from({ length: 256 }).keys()]);
          stage.same('the stored JSON', Object(got).url, '/photo/1');
          stage.same(
            'whence',
            heard.map(({ servedFrom }) => servedFrom),
            ['cache', 'cache'],
          );
        },
      },
    ],
  },
];
