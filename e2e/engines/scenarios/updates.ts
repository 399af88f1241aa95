import type { Scenario, Stage } from '../scenario.ts';
import { connected } from './opening.ts';

/** A page applies a newer release of the worker, which waits. */
export const UPDATES: readonly Scenario[] = [
  {
    name: 'a newer worker waits and is told, is applied, and has what was under way, none of it twice',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const work = await setToWork(stage, 'host');
          const { connection, updates, instance } = work;
          const write = work.photo.result(work.photo.invoke('add', { key: 'write' }, 'a=1'));
          await stage.until('both requests', async () => (await stage.journal('/hold')).length === 2);
          await stage.publish();
          await stage.until('the update', () => connection.update !== null);
          stage.same('what is told', updates, [true]);
          stage.same('it replaces nothing by itself', (await connection.inspect()).instance, instance);

          const applied = connection.update?.apply();
          await stage.until(
            'the end of what can be asked again',
            async () => (await open(stage)).length === 1,
          );
          const later = work.photo.result(work.photo.invoke('post', { id: 'later' }, 'b=1'));
          stage.same('what is waited for', await open(stage), ['POST']);
          await stage.release('write', '"made"');
          stage.same('the answer of the POST', await write, 'made');
          await applied;
          stage.same('the POST for the next', Object(await later).body, 'b=1');
          await work.goesOn();
          stage.same('what is told in the end', updates, [true, false]);
          const posts = (await stage.journal('/hold')).filter(({ method }) => method === 'POST');
          stage.same('effects of the POST', posts.length, 1);
          stage.same('effects of the later one', (await stage.journal('/photo/later')).length, 1);
        },
      },
    ],
  },
  {
    name: 'an update that another page applies is told, and what was under way goes on',
    needs: [],
    acts: [
      {
        enter: 'open',
        play: async (stage) => {
          const work = await setToWork(stage, 'host');
          stage.same('the worker that the guest has applied', await stage.invite(), 'applied');
          await work.goesOn();
          stage.same('what is told', work.updates, [true, false]);
        },
      },
    ],
    guest: async (stage) => {
      const work = await setToWork(stage, 'guest');
      await stage.publish();
      await stage.until('the update', () => work.connection.update !== null);
      await work.connection.update?.apply();
      await work.goesOn();
      stage.keep('applied');
    },
  },
];

/** A poll is told, and a GET waits for its answer, as an update comes. */
async function setToWork(stage: Stage, name: string) {
  const { photo } = await connected();
  const connection = window.offstage.connect();
  const updates: boolean[] = [];
  connection.addEventListener('update', () => updates.push(connection.update !== null));
  const heard = window.witness.record(photo, 'getSuccess', 'heldSuccess', 'error');
  const ticks = (): number => heard.filter(({ action }) => action === 'get').length;
  photo.poll('get', { id: name }, { interval: 300, hidden: 'continue' });
  const read = photo.result(photo.invoke('held', { key: name }));
  const isOut = async (): Promise<boolean> =>
    (await stage.journal('/hold')).some(({ state, url }) => state === 'open' && url.endsWith(name));
  await stage.until('ticks, and the request', async () => ticks() >= 2 && (await isOut()));
  const { instance } = await connection.inspect();
  return { photo, connection, updates, instance, goesOn };

  /** Claims that there is another worker, which has taken all that up. */
  async function goesOn(): Promise<void> {
    const next = (await connection.inspect()).instance;
    stage.check('another worker answers', next !== instance, next);
    const before = ticks();
    await stage.until('further ticks', () => ticks() >= before + 3);
    await stage.until('the GET again', isOut);
    await stage.release(name, JSON.stringify(`for ${name}`));
    stage.same('the answer of the GET', await read, `for ${name}`);
    const answers = heard.filter(({ action }) => action === 'held').length;
    stage.same('how often it is told', answers, 1);
    stage.same(
      'failures',
      heard.filter(({ code }) => code !== null),
      [],
    );
  }
}

/** The methods of what waits for an answer. */
async function open(stage: Stage): Promise<string[]> {
  return (await stage.journal('/hold')).filter(({ state }) => state === 'open').map(({ method }) => method);
}
