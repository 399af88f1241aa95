import { readFile, readdir } from 'node:fs/promises';

/** The processes of a group that run a service worker: WebKit names the thread after it. Linux only. */
export async function workerProcesses(group: number): Promise<number[]> {
  const entries = await readdir('/proc');
  const pids = entries.map(Number).filter((pid) => pid > 0);
  const looks = await Promise.all(
    pids.map(async (pid) => (await groupOf(pid)) === group && (await runsWorker(pid))),
  );
  return pids.filter((_, index) => looks[index]);
}

/** The third field after the name of the program, which is in brackets and may hold anything. */
async function groupOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[2]);
}

async function runsWorker(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const names = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/comm`, 'utf8').catch(() => '')),
  );
  return names.some((name) => name.includes('ServiceWorker'));
}
