import type { Scenario } from '../scenario.ts';
import { connected } from './opening.ts';

export const LOOPS: readonly Scenario[] = [
  {
    name: 'a poll keeps to its interval',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'getSuccess', 'error');
          const loop = photo.poll('get', { id: 1 }, { interval: 300, hidden: 'continue' });
          await stage.until('six ticks', () => heard.length >= 6);
          loop.stop();
          const asked = await stage.journal('/photo/1');
          const gaps = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? at));
          const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
          stage.check('the usual gap is the interval', usual > 200 && usual < 450, gaps);
          stage.same(
            'every tick is a success',
            heard.filter(({ code }) => code !== null),
            [],
          );
          await stage.pause(1_000);
          const later = await stage.journal('/photo/1');
          stage.same('requests once it is stopped', later.length - asked.length, 0);
        },
      },
    ],
  },
  {
    name: 'a long-poll asks again at once after each answer',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'heldSuccess', 'error');
          photo.longPoll('held', { key: 'a' }, { hidden: 'continue' });
          const answers = ['{"n":1}', '', '{"n":2}'];
          for (const body of answers) {
            await stage.until('a request that waits', () => isWaiting());
            await stage.release('a', body, body === '' ? 204 : 200);
            await stage.until('its end', async () => (await answered()).length > answers.indexOf(body));
          }
          await stage.until('one more request', () => isWaiting());
          const responses = heard.map(({ response }) => response);
          stage.same('the answers, but not that nothing is new', responses, [{ n: 1 }, { n: 2 }]);

          async function isWaiting(): Promise<boolean> {
            return (await stage.journal('/hold')).filter(({ state }) => state === 'open').length === 1;
          }
          async function answered(): Promise<readonly unknown[]> {
            return (await stage.journal('/hold')).filter(({ state }) => state === 'answered');
          }
        },
      },
    ],
  },
  {
    name: 'a document that did not change is a 304 and no change',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const { photo } = await connected();
          const heard = window.witness.record(photo, 'versionedSuccess', 'error');
          photo.poll('versioned', {}, { interval: 200, hidden: 'continue' });
          await stage.until('three ticks', () => heard.length >= 3);
          await fetch('/etag', { method: 'POST' });
          await stage.until('the news', () => Object(heard.at(-1)?.response).version === 2);
          stage.same('changes', heard.filter(({ changed }) => changed).length, 2);
          stage.same(
            'failures',
            heard.filter(({ code }) => code !== null),
            [],
          );
          const asked = (await stage.journal('/etag')).filter(({ method }) => method === 'GET');
          const conditions = asked.slice(0, 3).map(({ headers }) => headers['if-none-match'] ?? null);
          stage.same('the condition', conditions, [null, '"1"', '"1"']);
        },
      },
    ],
  },
];
