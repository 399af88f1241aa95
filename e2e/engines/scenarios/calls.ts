import type { Scenario } from '../scenario.ts';
import { bytesOf, connected } from './opening.ts';

export const CALLS: readonly Scenario[] = [
  {
    name: 'an invocation is answered and tells its events in order',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'getSuccess', 'postSuccess', 'success', 'error');
          stage.same('the host', window.offstage.connect().host, 'service-worker');
          const got = await photo.result(photo.invoke('get', { id: 'ü 1' }));
          stage.same('the answer', Object(got).url, '/photo/%C3%BC%201');
          const posted = await photo.result(photo.invoke('post', { id: 2 }, { title: 'Sea' }));
          stage.same('the body as sent', Object(posted).body, 'title=Sea');
          const types = heard.map(({ type }) => type);
          stage.same('the events', types, ['getSuccess', 'success', 'postSuccess', 'success']);
        },
      },
    ],
  },
  {
    name: 'what goes wrong is told by its code',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          await connected();
          const { Resource } = window.offstage;
          const broken = new Resource({ get: { method: 'GET', url: '{+path}' } }, { baseUrl: '/' });
          const codeOf = async (path: string, options = {}): Promise<unknown> => {
            const id = broken.invoke('get', { path }, null, options);
            return (await window.witness.ending(broken.result(id))).code;
          };
          stage.same('404', await codeOf('status/404'), 'http');
          stage.same('half a JSON', await codeOf('json-broken'), 'parse');
          stage.same('a cut answer', await codeOf('cut'), 'network');
          stage.same('no answer in time', await codeOf('slow?ms=3000', { timeout: 300 }), 'timeout');
          const aborted = broken.invoke('get', { path: 'slow?ms=3000' });
          const ending = window.witness.ending(broken.result(aborted));
          broken.abort('get');
          stage.same('aborted', (await ending).code, 'aborted');
        },
      },
    ],
  },
  {
    name: 'a binary answer arrives byte by byte',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const bytes = await bytesOf(await photo.result(photo.invoke('binary')));
          stage.same('the bytes', bytes, [...bytes.keys()]);
          stage.same('their number', bytes.length, 256);
        },
      },
    ],
  },
];
