import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from './test.ts';

const LIBRARY = fileURLToPath(new URL('../dist/main/index.js', import.meta.url));

/** Milliseconds that a process may take to end after its last, beyond what one takes that has no library. */
const AT_ONCE = 800;

const WITHOUT_LIBRARY = `await (await fetch(base + '/photo/1')).json();`;

/** A program that uses a resource and then ends. */
const PROGRAMS = {
  'a call': `await resource.result(resource.get());`,
  'calls one after the other': `for (let n = 0; n < 3; n += 1) await resource.result(resource.get());`,
  'a call that fails': `await resource.result(resource.missing()).catch(() => {});`,
  'a call that is aborted': `const id = resource.held(); setTimeout(() => resource.abort(id), 100);
    await resource.result(id).catch(() => {});`,
  'a poll that is stopped': `const loop = resource.poll('get', {}, { interval: 100 });
    await new Promise((resolve) => resource.addEventListener('getSuccess', resolve)); loop.stop();`,
  'a long-poll that is stopped': `const loop = resource.longPoll('held');
    await new Promise((resolve) => setTimeout(resolve, 200)); loop.stop();`,
};

for (const [name, program] of Object.entries(PROGRAMS)) {
  test(`a process ends at once after ${name}`, async ({ server }) => {
    const [plain, ours] = await Promise.all([WITHOUT_LIBRARY, program].map((each) => play(each, server.url)));
    expect(ours).toMatchObject({ code: 0, error: '' });
    expect(ours?.milliseconds).toBeLessThan((plain?.milliseconds ?? 0) + AT_ONCE);
  });
}

/** Runs a program in a Node of its own; says how long that took to end after the program had. */
async function play(program: string, base: string): Promise<Ending> {
  const code = `
    import { Resource } from ${JSON.stringify(LIBRARY)};
    const base = ${JSON.stringify(base)};
    const resource = new Resource(
      {
        get: { method: 'GET', url: '/photo/1' },
        missing: { method: 'GET', url: '/status/404' },
        held: { method: 'GET', url: '/hold?key=a' },
      },
      { baseUrl: base },
    );
    ${program}
    const done = performance.now();
    process.on('exit', () => console.log(String(performance.now() - done)));`;
  const node = spawn(process.execPath, ['--input-type=module', '--eval', code]);
  let [error, said] = ['', ''];
  node.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
  node.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = await new Promise<number | null>((resolve) => node.once('close', resolve));
  return { code: ended, error, milliseconds: Number.parseFloat(said) };
}

interface Ending {
  readonly code: number | null;
  readonly error: string;
  readonly milliseconds: number;
}
